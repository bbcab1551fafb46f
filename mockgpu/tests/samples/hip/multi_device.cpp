// Matrices travel between devices: each device fills its own, an event of the first orders the copy
// to the second.
#include "check.hpp"

__global__ void fill(int* x, int size, int value) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) x[i] = value - i;
}

int main() {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices));
  if (devices < 2) return 2;
  int const size = 64;
  std::size_t const bytes = size * sizeof(int);
  int *on_first, *on_second, result[size];
  hipStream_t first, second;
  hipEvent_t filled;
  CHECK(hipSetDevice(0));
  CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CHECK(hipEventCreateWithFlags(&filled, hipEventDisableTiming));
  CHECK(hipMalloc(&on_first, bytes));
  hipLaunchKernelGGL(fill, dim3(1), dim3(size), 0, first, on_first, size, 500);
  CHECK(hipEventRecord(filled, first));

  CHECK(hipSetDevice(1));
  CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  CHECK(hipMalloc(&on_second, bytes));
#ifndef WITHOUT_EVENT_WAIT
  CHECK(hipStreamWaitEvent(second, filled, 0));
#endif
  CHECK(hipMemcpyPeerAsync(on_second, 1, on_first, 0, bytes, second));
  CHECK(hipMemcpyAsync(result, on_second, bytes, hipMemcpyDeviceToHost, second));
  CHECK(hipStreamSynchronize(second));
  bool right = true;
  for (int i = 0; i < size; ++i) right = right && result[i] == 500 - i;

  CHECK(hipFree(on_second));
  CHECK(hipStreamDestroy(second));
  CHECK(hipSetDevice(0));
  CHECK(hipStreamSynchronize(first));
  CHECK(hipFree(on_first));
  CHECK(hipEventDestroy(filled));
  CHECK(hipStreamDestroy(first));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
