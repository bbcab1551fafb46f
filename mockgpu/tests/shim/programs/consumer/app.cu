#include <mockgpu/annotate.h>

#include <cstdio>

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }

int main() {
  int* data = nullptr;
  int host[4];
  if (cudaMalloc(&data, sizeof host) != cudaSuccess) return 1;
  fill<<<1, 4>>>(data, 5);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("app %d\n", host[3]);
  return cudaFree(data);
}
