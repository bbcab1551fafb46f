// A program that checks what it calls: a launch that cannot be is noticed at once, replaced by one
// that can be, and the error does not come up again later.
#include "check.hpp"

__global__ void fill(int* x, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    x[i] = i;
}

int main() {
  int const size = 2000;
  int* x;
  CHECK(cudaMalloc(&x, size * sizeof(int)));
  bool right = cudaPeekAtLastError() == cudaSuccess;
  fill<<<1, size>>>(x, size); // more threads than a block can have
#ifndef IGNORE_THE_ERROR
  right = right && cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
  right = right && cudaGetLastError() == cudaErrorInvalidConfiguration;
  right = right && cudaGetLastError() == cudaSuccess;
  fill<<<(size + 255) / 256, 256>>>(x, size);
  CHECK(cudaGetLastError());
#endif
  static int result[size];
  CHECK(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < size; ++i)
    right = right && result[i] == i;
  void* too_much = nullptr;
  right = right && cudaMalloc(&too_much, std::size_t{1} << 60) == cudaErrorMemoryAllocation;
  right = right && cudaGetLastError() == cudaErrorMemoryAllocation;
  CHECK(cudaFree(x));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
