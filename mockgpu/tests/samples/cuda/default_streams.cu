// Work in the default stream between work in two blocking streams needs no event; a non-blocking
// stream does.
#include "check.hpp"

__global__ void add(int* x, int size, int value) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    x[i] = x[i] * 2 + value;
}

int main() {
  int const size = 128;
  int* x;
  int result[size];
  cudaStream_t first, second;
#ifdef NON_BLOCKING_STREAM
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
#else
  CHECK(cudaStreamCreate(&first));
#endif
  CHECK(cudaStreamCreate(&second));
  CHECK(cudaMalloc(&x, sizeof result));
  CHECK(cudaMemset(x, 0, sizeof result));
  add<<<2, 64, 0, first>>>(x, size, 1);
#ifndef NO_WORK_BETWEEN
  add<<<2, 64>>>(x, size, 2);
#endif
  add<<<2, 64, 0, second>>>(x, size, 3);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int const value : result)
    right = right && value == 11;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(x));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
