#include "assay/runtime_factory.hpp"

#include "mockgpu/annotate.h"

namespace {

/// Passes on to mockgpu what core knows.
class mock_observer final : public assay::observer {
public:
  void name_memory(void const* pointer, std::size_t size_bytes, std::string const& name) override {
    mockgpu_name_memory(pointer, size_bytes, name.c_str());
  }
  void name_stream(assay::stream_handle stream, std::string const& name) override {
    mockgpu_name_stream(stream.value, name.c_str());
  }
  void sub_array(void const* pointer, std::size_t size_bytes, std::size_t alignment_bytes,
                 std::string const& name) override {
    mockgpu_sub_array(pointer, size_bytes, alignment_bytes, name.c_str());
  }
  void clear_sub_arrays(void const* pointer) override { mockgpu_clear_sub_arrays(pointer); }
  void mark_undefined(void const* pointer, std::size_t size_bytes) override {
    mockgpu_mark_undefined(pointer, size_bytes);
  }
  void host_access(void const* pointer, std::size_t size_bytes, bool write) override {
    mockgpu_host_access(pointer, size_bytes, write ? 1 : 0);
  }
  void open_use(std::string const& program, assay::stream_handle stream,
                bool check_stream) override {
    mockgpu_open_use(program.c_str(), stream.value, check_stream ? 1 : 0);
  }
  void close_use() override { mockgpu_close_use(); }
};

} // namespace

std::unique_ptr<assay::observer> assay::make_observer() {
  return std::make_unique<mock_observer>();
}
