#pragma once
/// \file The stacks that kernels run on. They lie together in one reserved range, so that a
/// kernel's own locals can be told from the host's by a range compare, and a pointer to a host
/// local is not mistaken for one.
#include <cstddef>
#include <cstdint>

namespace mockgpu {

/// Bytes of stack of one device thread; a guard page below each turns an overflow into a crash.
inline constexpr std::size_t kernel_stack_bytes = std::size_t{1} << 20;

/// True for addresses on the stack of a device thread.
[[nodiscard]] bool on_kernel_stack(std::uintptr_t address) noexcept;

/// A slot of the stack range; reused last in, first out. \throws std::bad_alloc when the range is
/// used up.
struct kernel_stack {
  void* top;
  std::size_t size_bytes;
};
[[nodiscard]] kernel_stack take_kernel_stack();
void give_back_kernel_stack(kernel_stack) noexcept;
/// All stacks are idle again: their grid has ended without its threads.
void take_back_kernel_stacks() noexcept;
/// Bytes between the top of the running thread's stack and one of its frames.
[[nodiscard]] std::size_t kernel_stack_depth(void const* frame) noexcept;

} // namespace mockgpu
