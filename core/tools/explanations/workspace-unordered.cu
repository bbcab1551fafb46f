#include <mockgpu/annotate.h>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  char* slab;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMalloc(&slab, 256);
  mockgpu_sub_array(slab, 128, 128, "u");
  mockgpu_open_use("first", a, 1);
  fill<<<1, 32, 0, a>>>(reinterpret_cast<int*>(slab));
  mockgpu_close_use();
#ifdef CURED
  cudaStreamSynchronize(a);
#endif
  mockgpu_open_use("second", b, 1);
  fill<<<1, 32, 0, b>>>(reinterpret_cast<int*>(slab)); // the same bytes, while the first may run
  mockgpu_close_use();
  cudaDeviceSynchronize();
  cudaFree(slab);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
