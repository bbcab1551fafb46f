#include <cuda_runtime.h>

#include <cstdio>

#include "saxpy.h"

int main() {
  float host[4] = {1, 2, 3, 4};
  float *x = nullptr, *y = nullptr;
  if (cudaMalloc(&x, sizeof host) != cudaSuccess || cudaMalloc(&y, sizeof host) != cudaSuccess) return 1;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
  saxpy(y, x, 10, 4);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[0], host[3]);
  return cudaFree(x) || cudaFree(y);
}
