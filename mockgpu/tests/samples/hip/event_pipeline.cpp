// Three stages on three streams, handed on by events: fill, square, subtract.
#include "check.hpp"

#include <vector>

__global__ void fill(float* x, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = float(i % 7);
}
__global__ void square(float const* x, float* y, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
__global__ void subtract(float const* x, float* y, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] -= x[i];
}

int main() {
  int const n = 1000;
  std::size_t const bytes = n * sizeof(float);
  float *x, *y, *result;
  hipStream_t stage[3];
  hipEvent_t done[3];
  CHECK(hipMalloc(&x, bytes));
  CHECK(hipMalloc(&y, bytes));
  CHECK(hipHostMalloc(&result, bytes, hipHostMallocDefault));
  for (int i = 0; i < 3; ++i) {
    CHECK(hipStreamCreateWithFlags(&stage[i], hipStreamNonBlocking));
    CHECK(hipEventCreateWithFlags(&done[i], hipEventDisableTiming));
  }

  dim3 const grid((n + 127) / 128), block(128);
  for (int round = 0; round < 3; ++round) {
    if (round > 0) CHECK(hipStreamWaitEvent(stage[0], done[2], 0));
    hipLaunchKernelGGL(fill, grid, block, 0, stage[0], x, n);
    CHECK(hipGetLastError());
    CHECK(hipEventRecord(done[0], stage[0]));
#ifndef WITHOUT_EVENT_WAIT
    CHECK(hipStreamWaitEvent(stage[1], done[0], 0));
#endif
    hipLaunchKernelGGL(square, grid, block, 0, stage[1], x, y, n);
    CHECK(hipEventRecord(done[1], stage[1]));
    CHECK(hipStreamWaitEvent(stage[2], done[1], 0));
    hipLaunchKernelGGL(subtract, grid, block, 0, stage[2], x, y, n);
    CHECK(hipEventRecord(done[2], stage[2]));
  }
  CHECK(hipMemcpyAsync(result, y, bytes, hipMemcpyDeviceToHost, stage[2]));
#ifndef WITHOUT_FINAL_WAIT
  CHECK(hipStreamSynchronize(stage[2]));
#endif

  bool right = true;
  for (int i = 0; i < n; ++i) {
    float const v = float(i % 7);
    right = right && result[i] == v * v - v;
  }
  CHECK(hipDeviceSynchronize());
  for (int i = 0; i < 3; ++i) {
    CHECK(hipEventDestroy(done[i]));
    CHECK(hipStreamDestroy(stage[i]));
  }
  CHECK(hipFree(x));
  CHECK(hipFree(y));
  CHECK(hipHostFree(result));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
