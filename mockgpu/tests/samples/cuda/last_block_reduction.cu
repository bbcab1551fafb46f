// A sum in one launch: the block that finishes last adds up what the others have left, which needs
// a fence before its ticket and one after.
#include "check.hpp"

#include <vector>

__device__ unsigned tickets = 0;

__global__ void sum(float const* in, float* partial, float* result, int size) {
  extern __shared__ float values[];
  __shared__ bool last;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x)
    mine += in[i];
  values[threadIdx.x] = mine;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      values[threadIdx.x] += values[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = values[0];
#ifndef WITHOUT_FIRST_FENCE
    __threadfence();
#endif
    last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
  }
#ifndef WITHOUT_BARRIER
  __syncthreads();
#endif
  if (last && threadIdx.x == 0) {
    __threadfence();
    float all = 0;
    for (int i = 0; i < gridDim.x; ++i)
      all += partial[i];
    *result = all;
    tickets = 0;
  }
}

int main() {
  int const size = 3000, blocks = 6, threads = 64;
  std::vector<float> host(size);
  float expected = 0, total = 0;
  for (int i = 0; i < size; ++i)
    expected += host[i] = float(i % 10);
  float *in, *partial, *result;
  CHECK(cudaMalloc(&in, size * sizeof(float)));
  CHECK(cudaMalloc(&partial, blocks * sizeof(float)));
  CHECK(cudaMalloc(&result, sizeof(float)));
  CHECK(cudaMemcpy(in, host.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  for (int run = 0; run < 2; ++run)
    sum<<<blocks, threads, threads * sizeof(float)>>>(in, partial, result, size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(partial));
  CHECK(cudaFree(result));
  std::puts(total == expected ? "passed" : "wrong results");
  return total == expected ? 0 : 1;
}
