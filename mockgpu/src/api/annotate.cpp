#include "mockgpu/annotate.h"

#include "api/call.hpp"

namespace {

using mockgpu::call;

/// Annotations are calls without a number of their own. Inside a host function they say nothing.
template <class Function>
void annotate(char const* entry_point, void const* caller, Function function) {
  call c("annotation", entry_point, caller);
  if (c.permitted()) function(c.on());
}

} // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void mockgpu_name_memory(void const* pointer, size_t size_bytes, char const* name) {
  annotate("mockgpu_name_memory", CALLER,
           [=](auto& e) { e.name_memory(pointer, size_bytes, name); });
}
void mockgpu_name_stream(void* stream, char const* name) {
  annotate("mockgpu_name_stream", CALLER, [=](auto& e) { e.name_stream(stream, name); });
}
void mockgpu_sub_array(void const* pointer, size_t size_bytes, size_t alignment_bytes,
                       char const* name) {
  annotate("mockgpu_sub_array", CALLER,
           [=](auto& e) { e.declare_sub_array(pointer, size_bytes, alignment_bytes, name); });
}
void mockgpu_clear_sub_arrays(void const* pointer) {
  annotate("mockgpu_clear_sub_arrays", CALLER, [=](auto& e) { e.clear_sub_arrays(pointer); });
}
void mockgpu_mark_undefined(void const* pointer, size_t size_bytes) {
  annotate("mockgpu_mark_undefined", CALLER,
           [=](auto& e) { e.mark_undefined(pointer, size_bytes); });
}
void mockgpu_host_access(void const* pointer, size_t size_bytes, int write) {
  void const* const caller = CALLER;
  mockgpu::access_range(reinterpret_cast<std::uintptr_t>(pointer), size_bytes,
                        write != 0 ? mockgpu::access_kind::write : mockgpu::access_kind::read,
                        caller);
}
void mockgpu_open_use(char const* program, void* stream, int check_stream) {
  annotate("mockgpu_open_use", CALLER,
           [=](auto& e) { e.open_use(program, stream, check_stream != 0); });
}
void mockgpu_close_use(void) {
  annotate("mockgpu_close_use", CALLER, [](auto& e) { e.close_use(); });
}
}
