#include <cstdlib>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
#ifdef CURED
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
#else
  int* x = static_cast<int*>(std::malloc(32 * sizeof(int))); // pageable host memory
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  std::free(x);
#endif
}
