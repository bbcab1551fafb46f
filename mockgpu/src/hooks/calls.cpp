// Calls that mean something else in a kernel: a failed assertion and abort end the kernel, not the
// process, and memory comes from the device's heap. The drivers' assembler gives them these names.
#include <cstdlib>
#include <ctime>
#include <new>

#include "hooks/kernel_context.hpp"

using mockgpu::in_kernel;

// The C library's; its header declares it in debug builds only.
extern "C" [[noreturn]] void __assert_fail(char const* condition, char const* file, unsigned line,
                                           char const* function) noexcept;

#define HOOK(type) extern "C" __attribute__((visibility("hidden"))) type

HOOK(void)
__mockgpu___assert_fail(char const* condition, char const* file, unsigned line,
                        char const* function) {
  if (in_kernel()) mockgpu_device_assertion(condition, file, line, function);
  __assert_fail(condition, file, line, function);
}
HOOK(void) __mockgpu_abort() {
  if (in_kernel()) mockgpu_device_trap("abort");
  std::abort();
}

HOOK(std::clock_t) __mockgpu_clock() {
  return in_kernel() ? static_cast<std::clock_t>(mockgpu_clock()) : std::clock();
}

HOOK(void*) __mockgpu_malloc(std::size_t size_bytes) {
  return in_kernel() ? mockgpu_heap_allocate(size_bytes) : std::malloc(size_bytes);
}
HOOK(void) __mockgpu_free(void* memory) {
  if (in_kernel())
    mockgpu_heap_free(memory);
  else
    std::free(memory);
}
// Operators new and delete, of objects and arrays, with and without the size.
HOOK(void*) __mockgpu__Znwm(std::size_t size_bytes) {
  return in_kernel() ? mockgpu_heap_allocate(size_bytes) : ::operator new(size_bytes);
}
HOOK(void*) __mockgpu__Znam(std::size_t size_bytes) {
  return in_kernel() ? mockgpu_heap_allocate(size_bytes) : ::operator new[](size_bytes);
}
HOOK(void) __mockgpu__ZdlPv(void* memory) {
  if (in_kernel())
    mockgpu_heap_free(memory);
  else
    ::operator delete(memory);
}
HOOK(void) __mockgpu__ZdlPvm(void* memory, std::size_t) { __mockgpu__ZdlPv(memory); }
HOOK(void) __mockgpu__ZdaPv(void* memory) {
  if (in_kernel())
    mockgpu_heap_free(memory);
  else
    ::operator delete[](memory);
}
HOOK(void) __mockgpu__ZdaPvm(void* memory, std::size_t) { __mockgpu__ZdaPv(memory); }
