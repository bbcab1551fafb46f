// A histogram: each block counts in shared memory and adds to the result with atomics.
#include "check.hpp"

#include <vector>

constexpr int bins = 64;

__global__ void count(unsigned* histogram, unsigned char const* data, int size) {
  __shared__ unsigned mine[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x)
    mine[i] = 0;
#ifndef WITHOUT_BARRIER
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[data[i] % bins], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x)
#ifdef PLAIN_UPDATE
    histogram[i] += mine[i];
#else
    atomicAdd(&histogram[i], mine[i]);
#endif
}

int main() {
  int const size = 4000;
  std::vector<unsigned char> host(size);
  unsigned expected[bins] = {}, result[bins];
  for (int i = 0; i < size; ++i) {
    host[i] = static_cast<unsigned char>(i * 7 % 251);
    ++expected[host[i] % bins];
  }
  unsigned char* data;
  unsigned* histogram;
  CHECK(cudaMalloc(&data, size));
  CHECK(cudaMalloc(&histogram, sizeof result));
  CHECK(cudaMemcpy(data, host.data(), size, cudaMemcpyHostToDevice));
#ifndef WITHOUT_ZEROES
  CHECK(cudaMemset(histogram, 0, sizeof result));
#endif
  count<<<5, 96>>>(histogram, data, size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, histogram, sizeof result, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < bins; ++i)
    right = right && result[i] == expected[i];
  CHECK(cudaFree(data));
  CHECK(cudaFree(histogram));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
