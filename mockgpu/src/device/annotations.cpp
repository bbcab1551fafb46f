#include "device/runtime.hpp"
#include "mockgpu/annotate.h"

namespace mockgpu {

void runtime::name_memory(void const* pointer, std::size_t, std::string name) {
  auto const guard = lock();
  if (auto* const a = memory_at(pointer); a != nullptr) a->name = std::move(name);
}

void runtime::name_stream(void* handle, std::string name) {
  auto const guard = lock();
  if (auto* const s = find_stream(handle); s != nullptr) chains_[index(s->chain)] = std::move(name);
}

void runtime::sub_array(void const* pointer, std::size_t size_bytes, std::size_t alignment_bytes, std::string name) {
  auto const guard = lock();
  auto* const a = memory_at(pointer);
  if (a == nullptr) return;
  auto const begin = reinterpret_cast<std::uintptr_t>(pointer);
  operation_ref where;
  where.what = "declaration of sub-array " + name;
  if (alignment_bytes > 1 && begin % alignment_bytes != 0)
    check.report("misaligned", "alignment",
                 "sub-array '" + name + "' does not begin at a multiple of " + std::to_string(alignment_bytes) +
                     " bytes",
                 {}, where, a, begin - a->begin, begin - a->begin + size_bytes);
  if (begin + size_bytes > a->end())
    check.report("out-of-bounds", "bounds", "sub-array '" + name + "' ends behind the memory that holds it", {},
                 where, a, begin - a->begin, begin - a->begin + size_bytes);
  for (auto const& [other_begin, other] : a->sub_arrays)
    if (begin < other.begin + other.size_bytes && other.begin < begin + size_bytes)
      check.report("subarray-overlap", "bounds", "sub-arrays '" + other.name + "' and '" + name + "' share bytes", {},
                   where, a, std::max(begin, other.begin) - a->begin,
                   std::min(begin + size_bytes, other.begin + other.size_bytes) - a->begin);
  if (a->sub_arrays.empty()) check.set_addressable(a->begin, a->size_bytes, false);
  a->sub_arrays[begin] = {begin, size_bytes, std::move(name)};
  std::uintptr_t const end = std::min(begin + size_bytes, a->end());
  if (end > begin) check.set_addressable(begin, end - begin, true);
  check.flush();
}

void runtime::clear_sub_arrays(void const* pointer) {
  auto const guard = lock();
  auto* const a = memory_at(pointer);
  if (a == nullptr || a->sub_arrays.empty()) return;
  a->sub_arrays.clear();
  check.set_addressable(a->begin, a->size_bytes, true);
}

void runtime::open_use(std::string program, void* stream_handle, bool check_stream) {
  auto const guard = lock();
  use_ = use{std::move(program), check_stream ? find_stream(stream_handle) : nullptr};
}

void runtime::close_use() {
  auto const guard = lock();
  use_.reset();
}

} // namespace mockgpu

extern "C" {

void mockgpu_name_memory(void const* pointer, size_t size_bytes, char const* name) {
  mockgpu::the_runtime().name_memory(pointer, size_bytes, name);
}
void mockgpu_name_stream(void* stream, char const* name) { mockgpu::the_runtime().name_stream(stream, name); }
void mockgpu_sub_array(void const* pointer, size_t size_bytes, size_t alignment_bytes, char const* name) {
  mockgpu::the_runtime().sub_array(pointer, size_bytes, alignment_bytes, name);
}
void mockgpu_clear_sub_arrays(void const* pointer) { mockgpu::the_runtime().clear_sub_arrays(pointer); }
void mockgpu_mark_undefined(void const* pointer, size_t size_bytes) {
  auto& engine = mockgpu::the_runtime();
  auto const lock = engine.lock();
  if (mockgpu::in_arena(reinterpret_cast<std::uintptr_t>(pointer)))
    engine.check.mark_undefined(reinterpret_cast<std::uintptr_t>(pointer), size_bytes);
}
void mockgpu_host_access(void const* pointer, size_t size_bytes, int write) {
  mockgpu::access_range(reinterpret_cast<std::uintptr_t>(pointer), size_bytes,
                        write != 0 ? mockgpu::access_kind::write : mockgpu::access_kind::read,
                        __builtin_return_address(0));
}
void mockgpu_open_use(char const* program, void* stream, int check_stream) {
  mockgpu::the_runtime().open_use(program, stream, check_stream != 0);
}
void mockgpu_close_use(void) { mockgpu::the_runtime().close_use(); }
}
