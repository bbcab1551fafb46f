#include "kernel/kernel_call.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace mockgpu {

namespace {
constexpr std::size_t closure_alignment_bytes = 64;

/// The beginning of what was allocated lies in front. The C library's own aligned memory takes many
/// times as long.
void* allocate_closure(std::size_t size_bytes) {
  void* const all = std::malloc(size_bytes + closure_alignment_bytes + sizeof(void*));
  if (all == nullptr) throw std::bad_alloc();
  auto const past_link = reinterpret_cast<std::uintptr_t>(all) + sizeof(void*);
  auto const begin =
      (past_link + closure_alignment_bytes - 1) / closure_alignment_bytes * closure_alignment_bytes;
  reinterpret_cast<void**>(begin)[-1] = all;
  return reinterpret_cast<void*>(begin);
}
} // namespace

void kernel_call::free_aligned::operator()(void* memory) const noexcept {
  std::free(static_cast<void**>(memory)[-1]);
}

kernel_call copy_launch(mockgpu_launch const& launch) {
  kernel_call call;
  for (int axis = 0; axis < 3; ++axis) {
    call.grid[axis] = launch.grid[axis];
    call.block[axis] = launch.block[axis];
  }
  call.shared_bytes = launch.shared_bytes;
  call.entry = launch.entry;
  call.run_block = launch.run_block;
  if (launch.closure_bytes != 0) {
    call.closure.reset(allocate_closure(launch.closure_bytes));
    auto* const base = static_cast<std::byte*>(call.closure.get());
    for (unsigned i = 0; i < launch.argument_count; ++i)
      std::memcpy(base + launch.layout[i].offset, launch.arguments[i], launch.layout[i].size_bytes);
  }
  return call;
}

} // namespace mockgpu
