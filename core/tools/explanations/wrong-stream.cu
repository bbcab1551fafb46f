#include <mockgpu/annotate.h>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t given;
  cudaStreamCreate(&given);
  cudaMalloc(&x, 32 * sizeof(int));
  mockgpu_open_use("program", given, 1); // the caller asks for this stream
#ifdef CURED
  fill<<<1, 32, 0, given>>>(x);
#else
  fill<<<1, 32>>>(x);
#endif
  mockgpu_close_use();
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaStreamDestroy(given);
}
