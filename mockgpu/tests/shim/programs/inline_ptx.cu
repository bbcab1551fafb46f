#include <cstdio>

__device__ unsigned lane() {
  unsigned number;
  asm("mov.u32 %0, %%laneid;" : "=r"(number));
  return number;
}
template <class T> __device__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;\n" ::);
}
__global__ void k(unsigned* x) {
  x[threadIdx.x] = lane();
  asm volatile("membar.gl;" ::: "memory");
#ifdef USED
  wait_for_copies<int>();
#endif
}

int main() {
  unsigned *x, result[64];
  cudaMalloc(&x, sizeof result);
  k<<<1, 64>>>(x);
  cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("lanes %u %u\n", result[5], result[37]);
  cudaFree(x);
}
