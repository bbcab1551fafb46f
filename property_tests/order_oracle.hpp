#pragma once
/// \file Happens-before from scratch: writes down every call and access of a run, keeps for each
/// operation the whole set of operations before it, and compares all pairs. Slow, simple, and
/// written apart from mockgpu, to say what mockgpu must find.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/gpu_runtime.hpp"

namespace assay::fuzz {

class order_oracle {
public:
  /// Two operations without order that touch the same bytes, at least one writing.
  struct race {
    std::string first, second;
  };
  [[nodiscard]] std::vector<race> const& races() const noexcept { return races_; }
  [[nodiscard]] std::size_t operations() const noexcept { return operations_.size(); }

  /// Bytes [begin, end).
  struct bytes {
    std::uintptr_t begin = 0, end = 0;
  };
  enum class access_kind : std::uint8_t { read, write, atomic };
  struct access {
    access_kind kind{};
    std::vector<bytes> where;
  };

  void device_operation(std::string name, stream_handle, std::vector<access>);
  void host_access(void const*, std::size_t size_bytes, bool write);
  void synchronise(stream_handle);
  void synchronise_device();
  void record(event_handle, stream_handle);
  void wait(stream_handle, event_handle);
  void new_stream(stream_handle);
  /// The block is gone: its address may come back as other memory.
  void forget(void const* base, std::size_t size_bytes);

private:
  using set = std::vector<bool>; ///< of operations
  struct operation {
    std::string name;
    std::vector<access> accesses;
  };

  std::vector<operation> operations_;
  std::map<void*, set> streams_, events_;
  set host_;
  std::vector<race> races_;

  static void join(set& into, set const& from);
  void add(std::string name, std::vector<access>, set& chain);
};

/// Forwards everything and tells the oracle.
class watched_runtime final : public gpu_runtime {
public:
  watched_runtime(gpu_runtime& real, order_oracle& oracle) : real_(real), oracle_(oracle) {}

  std::string_view name() const override { return real_.name(); }
  void* allocate(std::size_t size_bytes) override;
  void release(void*) override;
  void* allocate_async(std::size_t size_bytes, stream_handle) override;
  void release_async(void*, stream_handle) override;
  void copy_async(void* target, void const* source, std::size_t size_bytes, copy_direction,
                  stream_handle) override;
  void copy_2d_async(void* target, std::size_t target_pitch_bytes, void const* source,
                     std::size_t source_pitch_bytes, std::size_t width_bytes, std::size_t height,
                     copy_direction, stream_handle) override;
  void fill_async(void* target, int byte, std::size_t size_bytes, stream_handle) override;
  stream_handle create_stream(stream_kind) override;
  void destroy_stream(stream_handle s) override { real_.destroy_stream(s); }
  void synchronise(stream_handle) override;
  void synchronise_device() override;
  event_handle create_event() override { return real_.create_event(); }
  void destroy_event(event_handle e) override { real_.destroy_event(e); }
  void record(event_handle, stream_handle) override;
  void wait(stream_handle, event_handle) override;
  void launch_copy(void* target, void const* source, std::size_t size_bytes,
                   stream_handle) override;
  void launch_mix(std::uint64_t seed, std::span<byte_box const> reads,
                  std::span<byte_box const> writes, std::span<byte_box const> accumulates,
                  stream_handle, std::string_view kernel_name) override;
  pointer_info inspect(void const* p) override { return real_.inspect(p); }
  int current_device() override { return real_.current_device(); }

private:
  gpu_runtime& real_;
  order_oracle& oracle_;
  std::map<void*, std::size_t> sizes_;
};

class watched_observer final : public observer {
public:
  watched_observer(observer& real, order_oracle& oracle) : real_(real), oracle_(oracle) {}
  void name_memory(void const* p, std::size_t size, std::string const& name) override {
    real_.name_memory(p, size, name);
  }
  void name_stream(stream_handle s, std::string const& name) override {
    real_.name_stream(s, name);
  }
  void sub_array(void const* p, std::size_t size, std::size_t alignment,
                 std::string const& name) override {
    real_.sub_array(p, size, alignment, name);
  }
  void clear_sub_arrays(void const* p) override { real_.clear_sub_arrays(p); }
  void mark_undefined(void const* p, std::size_t size) override { real_.mark_undefined(p, size); }
  void host_access(void const* p, std::size_t size, bool write) override {
    oracle_.host_access(p, size, write);
    real_.host_access(p, size, write);
  }
  void open_use(std::string const& program, stream_handle s, bool check) override {
    real_.open_use(program, s, check);
  }
  void close_use() override { real_.close_use(); }

private:
  observer& real_;
  order_oracle& oracle_;
};

} // namespace assay::fuzz
