// Boundary work on a stream of high priority, interior work on one of low priority, joined by events.
// Priorities are hints: they order nothing.
#include "check.hpp"

__global__ void add(int* x, int begin, int end, int value) {
  int const i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end)
    x[i] += value;
}
__global__ void sum_neighbours(int const* x, int* y, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    y[i] = x[i] + x[i == 0 ? size - 1 : i - 1];
}

int main() {
  int const size = 256, halo = 16;
  int least = 0, greatest = 0, priority = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t boundary, interior;
  CHECK(cudaStreamCreateWithPriority(&boundary, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithPriority(&interior, cudaStreamNonBlocking, least));
  CHECK(cudaStreamGetPriority(boundary, &priority));
  bool right = priority == greatest && greatest <= least;

  cudaEvent_t ready, done;
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  int *x, *y;
  CHECK(cudaMalloc(&x, size * sizeof(int)));
  CHECK(cudaMalloc(&y, size * sizeof(int)));
  CHECK(cudaMemsetAsync(x, 0, size * sizeof(int), interior));
  CHECK(cudaEventRecord(ready, interior));
  CHECK(cudaStreamWaitEvent(boundary, ready, 0));
  add<<<1, halo, 0, boundary>>>(x, 0, halo, 1);
  add<<<4, 64, 0, interior>>>(x, halo, size, 2);
  CHECK(cudaEventRecord(done, boundary));
#ifndef TRUST_PRIORITY
  CHECK(cudaStreamWaitEvent(interior, done, 0));
#endif
  sum_neighbours<<<4, 64, 0, interior>>>(x, y, size);
  CHECK(cudaGetLastError());
  int result[size];
  CHECK(cudaMemcpyAsync(result, y, sizeof result, cudaMemcpyDeviceToHost, interior));
  CHECK(cudaStreamSynchronize(interior));
  for (int i = 0; i < size; ++i)
    right = right && result[i] == (i < halo ? 1 : 2) + (i > 0 && i <= halo ? 1 : 2);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaEventDestroy(done));
  CHECK(cudaStreamDestroy(boundary));
  CHECK(cudaStreamDestroy(interior));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
