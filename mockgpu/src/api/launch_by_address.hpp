#pragma once
/// \file Launches of kernels whose parameters the caller does not know, as C code makes them.
#include "mockgpu/abi.h"
#include "mockgpu/types_common.h"

namespace mockgpu {

/// Asks the kernel at `entry` for its parameters and queues it; what is no kernel of a driver's is
/// refused by name. \param caller where the program made the call. \returns the vendor's status.
int launch_by_address(mockgpu_launch const&, void const* caller);

/// The same from a vendor call's arguments.
inline int launch_by_address(char const* entry_point, void const* kernel, dim3 grid, dim3 block,
                             void** arguments, size_t shared_bytes, void* stream, bool cooperative,
                             void const* caller) {
  mockgpu_launch request{};
  request.entry_point = entry_point;
  request.grid[0] = grid.x, request.grid[1] = grid.y, request.grid[2] = grid.z;
  request.block[0] = block.x, request.block[1] = block.y, request.block[2] = block.z;
  request.shared_bytes = shared_bytes;
  request.stream = stream;
  request.entry = reinterpret_cast<void (*)()>(const_cast<void*>(kernel));
  request.arguments = arguments;
  request.cooperative = cooperative ? 1 : 0;
  return launch_by_address(request, caller);
}

} // namespace mockgpu
