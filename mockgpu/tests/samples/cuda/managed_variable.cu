// Variables that both sides use: the host fills a table, a kernel adds up and leaves the sum in
// another, and the host reads it once it has waited.
#include "check.hpp"

constexpr int size = 500;
__managed__ int table[size];
__device__ __managed__ int sum = 7;

__global__ void add_up() {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    atomicAdd(&sum, table[i]);
}

int main() {
  int expected = sum;
  for (int i = 0; i < size; ++i)
    expected += table[i] = i;
  add_up<<<4, 128>>>();
  CHECK(cudaGetLastError());
#ifndef WITHOUT_WAIT
  CHECK(cudaDeviceSynchronize());
#endif
  bool right = sum == expected;
  sum = 0; // the host may change it before the next kernel
  add_up<<<4, 128>>>();
#ifdef CHANGE_WHILE_IN_USE
  table[0] = 1;
#endif
  CHECK(cudaDeviceSynchronize());
  right = right && sum == expected - 7;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &sum));
  right = right && attributes.type == cudaMemoryTypeManaged;
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
