#include <mockgpu/annotate.h>

void program(cudaStream_t stream) {
#ifdef CURED
  cudaGetLastError(); // what is pending is the caller's: drained before the use begins
#endif
  mockgpu_open_use("program", stream, 1);
  cudaGetLastError(); // takes an older error for one of its own
  mockgpu_close_use();
}

int main() {
  cudaStream_t s;
  int* x;
  cudaStreamCreate(&s);
  cudaMalloc(&x, ~std::size_t{0} / 2); // fails, and nobody looks
  program(s);
  cudaStreamDestroy(s);
}
