// The hooks of volatile and of unaligned loads and stores, and of ranges.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hooks/keep_registers.hpp"
#include "hooks/kernel_context.hpp"
#include "order/access.hpp"

namespace {

using mockgpu::access_kind;

inline std::uintptr_t address_of(void const volatile* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Compilers and devices keep volatile reads behind the atomics in front of them.
inline void before_volatile(access_kind kind) {
  if (kind == access_kind::read && mockgpu::in_kernel()) mockgpu_volatile_read();
}

/// A volatile load may be one of many that wait for another thread.
template <class T> void after_volatile_read(void const* p) {
  mockgpu::note_poll(p, std::uint64_t(*static_cast<T const volatile*>(p)));
  if (!mockgpu::in_kernel()) mockgpu_host_looks_at(p);
}
template <unsigned Size> void after_volatile(void const* p, access_kind kind) {
  if (kind != access_kind::read) {
    // No order by the language; host programs trust it all the same, and processors keep it.
    if (!mockgpu::in_kernel()) mockgpu_host_publishes(p);
    return;
  }
  if constexpr (Size == 1) after_volatile_read<std::uint8_t>(p);
  if constexpr (Size == 2) after_volatile_read<std::uint16_t>(p);
  if constexpr (Size == 4) after_volatile_read<std::uint32_t>(p);
  if constexpr (Size == 8) after_volatile_read<std::uint64_t>(p);
}

} // namespace

#define HOOK(type) extern "C" __attribute__((visibility("hidden"))) type
#define CALLER __builtin_return_address(0)

// The compilers say "unaligned" where the type is packed: on a device that becomes several
// accesses, so no alignment is demanded.
#define HOOKS_OF_KIND(size, name, kind)                                                            \
  HOOK(void) __mockgpu_volatile_##name##size(void* p) {                                            \
    before_volatile(access_kind::kind);                                                            \
    mockgpu_plain_##name##size(p, CALLER);                                                         \
    after_volatile<size>(p, access_kind::kind);                                                    \
  }                                                                                                \
  HOOK(void) __mockgpu_unaligned_##name##size(void* p) {                                           \
    if (address_of(p) % size == 0)                                                                 \
      mockgpu_plain_##name##size(p, CALLER);                                                       \
    else                                                                                           \
      mockgpu::access_range(address_of(p), size, access_kind::kind, CALLER);                       \
  }                                                                                                \
  HOOK(void) __mockgpu_unaligned_volatile_##name##size(void* p) {                                  \
    mockgpu::access_range(address_of(p), size, access_kind::kind, CALLER);                         \
  }
#define HOOKS_OF_SIZE(size)                                                                        \
  HOOKS_OF_KIND(size, read, read)                                                                  \
  HOOKS_OF_KIND(size, write, write)

HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

HOOK(void) __mockgpu_read_range(void* p, std::size_t size_bytes) {
  mockgpu::access_range(address_of(p), size_bytes, access_kind::read, CALLER);
}
HOOK(void) __mockgpu_write_range(void* p, std::size_t size_bytes) {
  mockgpu::access_range(address_of(p), size_bytes, access_kind::write, CALLER);
}

// A virtual call reads the table pointer; a constructor writes it.
HOOK(void) __mockgpu_vptr_read(void** p) { mockgpu_plain_read8(p, CALLER); }
HOOK(void) __mockgpu_vptr_update(void** p, void*) { mockgpu_plain_write8(p, CALLER); }

// Entry and exit are switched off by the drivers; objects built by hand may still call them.
HOOK(void) __mockgpu_func_entry(void*) {}
HOOK(void) __mockgpu_func_exit() {}

HOOK(void*) __mockgpu_memcpy(void* to, void const* from, std::size_t size_bytes) {
  mockgpu::access_range(address_of(from), size_bytes, access_kind::read, CALLER);
  mockgpu::access_range(address_of(to), size_bytes, access_kind::write, CALLER);
  return std::memcpy(to, from, size_bytes);
}
HOOK(void*) __mockgpu_memmove(void* to, void const* from, std::size_t size_bytes) {
  mockgpu::access_range(address_of(from), size_bytes, access_kind::read, CALLER);
  mockgpu::access_range(address_of(to), size_bytes, access_kind::write, CALLER);
  return std::memmove(to, from, size_bytes);
}
HOOK(void*) __mockgpu_memset(void* to, int value, std::size_t size_bytes) {
  mockgpu::access_range(address_of(to), size_bytes, access_kind::write, CALLER);
  return std::memset(to, value, size_bytes);
}
