#pragma once
/// \file The kernels of the conformance cases, behind functions that host compilers can call. Each
/// gives the status of the launch.
#include "names.hpp"

namespace conformance {

/// target[i] = value for i < count.
[[nodiscard]] gpuError_t launch_fill(int* target, int count, int value, gpuStream_t);
/// The same, and changes the arguments it passed by address as soon as the launch call has
/// returned.
[[nodiscard]] gpuError_t launch_fill_and_forget(int* target, int count, int value, gpuStream_t);
/// target[i] = source[i] for i < count.
[[nodiscard]] gpuError_t launch_copy(int* target, int const* source, int count, gpuStream_t);
/// target[i] += value for i < count.
[[nodiscard]] gpuError_t launch_add(int* target, int count, int value, gpuStream_t);
/// Keeps a device busy for tens of milliseconds, so that what may overtake it does. Nothing on the
/// mock.
[[nodiscard]] gpuError_t launch_delay(gpuStream_t);
/// A block of more threads than any device takes.
[[nodiscard]] gpuError_t launch_oversized_block(gpuStream_t);
/// A grid without blocks.
[[nodiscard]] gpuError_t launch_empty_grid(gpuStream_t);
/// Grid 3 x 2 x 1 of blocks 2 x 2 x 4: element (x, y, z) of a 6 x 4 x 4 array becomes x + 10 y +
/// 100 z.
[[nodiscard]] gpuError_t launch_index_sum(int* target, gpuStream_t);
/// Reverses each of `blocks` groups of 32 elements through shared memory and a barrier.
[[nodiscard]] gpuError_t launch_reverse(int* data, int blocks, gpuStream_t);
/// 500 threads add 1 to the counter, atomically.
[[nodiscard]] gpuError_t launch_count(int* counter, gpuStream_t);

} // namespace conformance
