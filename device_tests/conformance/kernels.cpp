#if defined(ASSAY_CONFORMANCE_HIP)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include "kernels.hpp"

namespace conformance {
namespace {

__device__ int element() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void fill(int* target, int count, int value) {
  int const i = element();
  if (i < count) target[i] = value;
}

__global__ void copy_elements(int* target, int const* source, int count) {
  int const i = element();
  if (i < count) target[i] = source[i];
}

__global__ void add(int* target, int count, int value) {
  int const i = element();
  if (i < count) target[i] += value;
}

__global__ void delay(int cycles) {
#ifndef __MOCKGPU__ // a mock has no clock, and needs none
  long long const begin = clock64();
  while (clock64() - begin < cycles) {
  }
#else
  (void)cycles;
#endif
}

__global__ void index_sum(int* target) {
  int const x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int const y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  int const z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
  int const width = static_cast<int>(gridDim.x * blockDim.x);
  int const height = static_cast<int>(gridDim.y * blockDim.y);
  target[(z * height + y) * width + x] = x + 10 * y + 100 * z;
}

__global__ void reverse(int* data) {
  __shared__ int scratch[32];
  int const t = static_cast<int>(threadIdx.x);
  int* const mine = data + 32 * static_cast<int>(blockIdx.x);
  scratch[t] = mine[t];
  __syncthreads();
  mine[t] = scratch[31 - t];
}

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

constexpr int block_threads = 64;

dim3 blocks_for(int count) {
  return dim3(static_cast<unsigned>((count + block_threads - 1) / block_threads));
}

} // namespace

gpuError_t launch_fill(int* target, int count, int value, gpuStream_t stream) {
  void* arguments[] = {&target, &count, &value};
  return GPU(LaunchKernel)((void*)fill, blocks_for(count), dim3(block_threads), arguments, 0,
                           stream);
}

gpuError_t launch_fill_and_forget(int* target, int count, int value, gpuStream_t stream) {
  void* arguments[] = {&target, &count, &value};
  gpuError_t const status =
      GPU(LaunchKernel)((void*)fill, blocks_for(count), dim3(block_threads), arguments, 0, stream);
  // Through a volatile pointer: the stores have to happen although nobody here reads them.
  *static_cast<int volatile*>(&value) = -1;
  *static_cast<int volatile*>(&count) = 0;
  return status;
}

gpuError_t launch_copy(int* target, int const* source, int count, gpuStream_t stream) {
  void* arguments[] = {&target, &source, &count};
  return GPU(LaunchKernel)((void*)copy_elements, blocks_for(count), dim3(block_threads), arguments,
                           0, stream);
}

gpuError_t launch_add(int* target, int count, int value, gpuStream_t stream) {
  void* arguments[] = {&target, &count, &value};
  return GPU(LaunchKernel)((void*)add, blocks_for(count), dim3(block_threads), arguments, 0,
                           stream);
}

gpuError_t launch_delay(gpuStream_t stream) {
  int cycles = 60000000;
  void* arguments[] = {&cycles};
  return GPU(LaunchKernel)((void*)delay, dim3(1), dim3(1), arguments, 0, stream);
}

gpuError_t launch_oversized_block(gpuStream_t stream) {
  int cycles = 0;
  void* arguments[] = {&cycles};
  return GPU(LaunchKernel)((void*)delay, dim3(1), dim3(100000), arguments, 0, stream);
}

gpuError_t launch_empty_grid(gpuStream_t stream) {
  int cycles = 0;
  void* arguments[] = {&cycles};
  return GPU(LaunchKernel)((void*)delay, dim3(0), dim3(1), arguments, 0, stream);
}

gpuError_t launch_index_sum(int* target, gpuStream_t stream) {
  void* arguments[] = {&target};
  return GPU(LaunchKernel)((void*)index_sum, dim3(3, 2, 1), dim3(2, 2, 4), arguments, 0, stream);
}

gpuError_t launch_reverse(int* data, int blocks, gpuStream_t stream) {
  void* arguments[] = {&data};
  return GPU(LaunchKernel)((void*)reverse, dim3(static_cast<unsigned>(blocks)), dim3(32), arguments,
                           0, stream);
}

gpuError_t launch_count(int* counter, gpuStream_t stream) {
  void* arguments[] = {&counter};
  return GPU(LaunchKernel)((void*)count_up, dim3(5), dim3(100), arguments, 0, stream);
}

} // namespace conformance
