// A launch through a plain pointer means the same default stream as one by name: the legacy one,
// which waits for the blocking stream, or the thread's own, which does not.
#include "check.hpp"

__global__ void add(int* x, int value) { x[threadIdx.x] = x[threadIdx.x] * 2 + value; }

int main() {
  int const size = 64;
  int *x, found[size], value = 2, failures = 0;
  cudaStream_t first;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaMalloc(&x, sizeof found));
  CHECK(cudaMemset(x, 0, sizeof found));
  CHECK(cudaDeviceSynchronize());
  add<<<1, size, 0, first>>>(x, 1);
  CHECK(cudaGetLastError());
  void* arguments[] = {&x, &value};
  void const* const kernel = reinterpret_cast<void const*>(add);
  CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(size), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(x));
  CHECK(cudaStreamDestroy(first));
  for (int const each : found) failures += each != 4;
  std::puts(failures == 0 ? "passed" : "wrong results");
  return failures == 0 ? 0 : 1;
}
