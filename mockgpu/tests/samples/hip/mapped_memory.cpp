// Kernels work in pinned host memory in place; the host looks at it once an event has come.
#include "check.hpp"

__global__ void square(int* x, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) x[i] *= x[i];
}

int main() {
  int const size = 96;
  int *host, *mapped;
  CHECK(hipHostMalloc(&host, size * sizeof(int), hipHostMallocMapped));
  for (int i = 0; i < size; ++i) host[i] = i;
  CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&mapped), host, 0));
  hipStream_t stream;
  hipEvent_t done;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&done));
  hipLaunchKernelGGL(square, dim3(3), dim3(32), 0, stream, mapped, size);
  CHECK(hipEventRecord(done, stream));
#ifndef WITHOUT_WAIT
  while (hipEventQuery(done) == hipErrorNotReady) {
  }
#endif
  bool right = true;
  for (int i = 0; i < size; ++i) right = right && host[i] == i * i;
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipEventDestroy(done));
  CHECK(hipStreamDestroy(stream));
  CHECK(hipHostFree(host));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
