#include "kernel/kernel_call.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace mockgpu {

void kernel_call::free_aligned::operator()(void* memory) const noexcept { std::free(memory); }

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
    std::size_t const room = (launch.closure_bytes + 63) / 64 * 64;
    call.closure.reset(std::aligned_alloc(64, room));
    if (!call.closure) throw std::bad_alloc();
    auto* const base = static_cast<std::byte*>(call.closure.get());
    for (unsigned i = 0; i < launch.argument_count; ++i)
      std::memcpy(base + launch.layout[i].offset, launch.arguments[i], launch.layout[i].size_bytes);
  }
  return call;
}

} // namespace mockgpu
