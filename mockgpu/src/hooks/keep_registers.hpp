#pragma once
/// \file The calling convention of the hooks of plain loads and stores: besides what every call
/// keeps they keep rdi, r8 to r11 and all vector registers, so that a kernel's values stay where
/// they are (shim/mockgpu/kept_registers.h). They may change rax, rcx, rdx, rsi, the flags and
/// the x87 registers, which nothing here saves, and are called with any alignment of the stack.
///
/// g++ compiles plain.cpp with options that make it keep rdi and r8 to r11 and use no vector
/// registers; what it calls goes through `mockgpu_keep_registers`. Other compilers have no such
/// options: there each hook is a few instructions that go through it.

#include <cstddef>
#include <cstdint>

/// `mockgpu::check_access` for a load or store that demands the alignment of its size, by that
/// convention.
extern "C" __attribute__((visibility("hidden"))) void
mockgpu_check_access(std::uintptr_t address, std::size_t size_bytes, std::size_t write,
                     void const* return_address) noexcept;
/// The same behind it, by the platform's convention.
extern "C" __attribute__((visibility("hidden"))) void
mockgpu_check_access_now(std::uintptr_t address, std::size_t size_bytes, std::size_t write,
                         void const* return_address) noexcept;

#define MOCKGPU_PLAIN_HOOKS(size)                                                                  \
  extern "C" __attribute__((visibility("hidden"))) void mockgpu_plain_read##size(                  \
      void* p, void const* caller);                                                                \
  extern "C" __attribute__((visibility("hidden"))) void mockgpu_plain_write##size(                 \
      void* p, void const* caller);
/// The hooks, told by whom they are called: for other hooks, which may call them as any function.
MOCKGPU_PLAIN_HOOKS(1)
MOCKGPU_PLAIN_HOOKS(2)
MOCKGPU_PLAIN_HOOKS(4)
MOCKGPU_PLAIN_HOOKS(8)
MOCKGPU_PLAIN_HOOKS(16)
#undef MOCKGPU_PLAIN_HOOKS

#ifdef __clang__
#define MOCKGPU_KEEPS_BY_ITSELF 0
#else
#define MOCKGPU_KEEPS_BY_ITSELF 1
#endif
