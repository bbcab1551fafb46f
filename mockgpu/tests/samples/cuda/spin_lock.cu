// A lock in device memory. Whoever takes it first needs no fence behind the taking in this run, so
// a missing one shows only where somebody else was first: schedules let blocks start in different
// orders, and threads give way before atomic operations.
#include <cstdio>

#include "check.hpp"

__device__ int lock;

__device__ void take() {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
}
__device__ void release() {
  __threadfence();
  atomicExch(&lock, 0);
}

/// The first block, or the first warp, adds in its way; the other one in the same way, but for a
/// planted fault.
__global__ void add(int* sum, bool within_a_block) {
  unsigned const mine = within_a_block ? threadIdx.x / 32 : blockIdx.x;
  if (threadIdx.x % 32 != 0 || mine > 1) return;
  take();
#ifdef BLOCK_WITHOUT_FENCE
  if (within_a_block || mine != 0) __threadfence();
#elif defined WARP_WITHOUT_FENCE
  if (!within_a_block || mine != 0) __threadfence();
#else
  __threadfence();
#endif
  *sum = *sum + 1;
  release();
}

int main() {
  int* sum;
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  // Again and again: each launch is an order of its own.
  for (int i = 0; i < 8; ++i) {
    add<<<2, 32>>>(sum, false);
    CHECK(cudaGetLastError());
    add<<<1, 64>>>(sum, true);
    CHECK(cudaGetLastError());
  }
  int result = 0;
  CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(sum));
  if (result != 32) {
    std::printf("the sum is %d\n", result);
    return 1;
  }
  std::printf("passed\n");
}
