#include <cassert>

__global__ void check(int* x) {
#ifdef CURED
  x[threadIdx.x] = 1;
#endif
  assert(x[threadIdx.x] == 1);
}

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMemset(x, 0, 32 * sizeof(int));
  check<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
