// Counters in device memory: one of each block, updated with atomics of the block's scope, and one
// of the grid.
#include "check.hpp"

__global__ void count(int* of_block, int* of_grid, int const* data, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const mine = of_block + blockIdx.x;
  if (i < size && data[i] % 3 == 0) {
    atomicAdd_block(mine, 1);
#ifdef BLOCK_SCOPE
    atomicAdd_block(of_grid, 1);
#else
    atomicAdd(of_grid, 1);
#endif
  }
  if (threadIdx.x == 0) atomicExch_block(mine + gridDim.x, i); // defines it
}

// One thread of a block updates its counter, while the others update the grid's.
__global__ void count_apart(int* of_block, int* of_grid) {
  if (threadIdx.x == 0)
    atomicAdd_block(of_block + blockIdx.x, 1);
  else
    atomicAdd(of_grid, 1);
}

// Block 0 hands a value on to block 1.
__device__ int handed_on;
__device__ unsigned flag;
__global__ void hand_on(int* result) {
  if (blockIdx.x == 0) {
    handed_on = 42;
#ifdef BLOCK_FENCE
    __threadfence_block();
#else
    __threadfence();
#endif
    atomicExch(&flag, 1u);
  } else {
    while (atomicAdd(&flag, 0u) == 0) {
    }
#ifdef BLOCK_FENCE_OF_READER
    __threadfence_block();
#else
    __threadfence();
#endif
    *result = handed_on;
  }
}

int main() {
  int const size = 500, blocks = 4;
  int host[size], expected = 0;
  for (int i = 0; i < size; ++i) {
    host[i] = i * 7;
    expected += host[i] % 3 == 0;
  }
  int *data, *counters;
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMalloc(&counters, (2 * blocks + 2) * sizeof(int)));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(counters, 0, blocks * sizeof(int)));
  CHECK(cudaMemset(counters + 2 * blocks, 0, sizeof(int)));
  count<<<blocks, 128>>>(counters, counters + 2 * blocks, data, size);
  CHECK(cudaGetLastError());
  count_apart<<<blocks, 4>>>(counters, counters + 2 * blocks);
  CHECK(cudaGetLastError());
  hand_on<<<2, 1>>>(counters + 2 * blocks + 1);
  CHECK(cudaGetLastError());
  int found[2 * blocks + 2];
  CHECK(cudaMemcpy(found, counters, sizeof found, cudaMemcpyDeviceToHost));
  int sum = 0;
  for (int block = 0; block < blocks; ++block) sum += found[block];
  bool const right = sum == expected + blocks && found[2 * blocks] == expected + 3 * blocks &&
                     found[2 * blocks + 1] == 42;
  CHECK(cudaFree(data));
  CHECK(cudaFree(counters));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
