#include <cstdio>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaMalloc(&x, 4096 * sizeof(int));
  fill<<<1, 4096>>>(x); // more threads than a block has: nothing runs
#ifdef CURED
  if (cudaError_t const status = cudaGetLastError(); status != cudaSuccess)
    std::printf("launch failed: %s\n", cudaGetErrorString(status));
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
}
