// Launches between two events: the second one orders what another stream does with the result.
#include "check.hpp"

#include <hip/hip_ext.h>

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void twice(int const* from, int* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

int main() {
  int *x, *y, result[64];
  hipStream_t first, second;
  hipEvent_t start, stop;
  CHECK(hipMalloc(&x, sizeof result));
  CHECK(hipMalloc(&y, sizeof result));
  CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  hipExtLaunchKernelGGL(fill, dim3(1), dim3(64), 0, first, start, stop, 0, x, 21);
  CHECK(hipGetLastError());
#ifndef WITHOUT_EVENT_WAIT
  CHECK(hipStreamWaitEvent(second, stop, 0));
#endif
  void* arguments[] = {&x, &y};
  CHECK(hipExtLaunchKernel(reinterpret_cast<void const*>(&twice), dim3(1), dim3(64), arguments, 0,
                           second, nullptr, nullptr, 0));
  CHECK(hipMemcpyAsync(result, y, sizeof result, hipMemcpyDeviceToHost, second));
  CHECK(hipStreamSynchronize(second));
  CHECK(hipStreamSynchronize(first));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  CHECK(hipEventDestroy(start));
  CHECK(hipEventDestroy(stop));
  CHECK(hipStreamDestroy(first));
  CHECK(hipStreamDestroy(second));
  CHECK(hipFree(x));
  CHECK(hipFree(y));
  for (int const one : result)
    if (one != 42 || milliseconds < 0) return 1;
  std::puts("passed");
}
