// Each device works on its half; the halves meet on device 0 by a copy between devices that an event
// of the other device orders.
#include "check.hpp"

__global__ void fill(int* x, int size, int value) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    x[i] = value + i;
}
__global__ void add(int const* from, int* to, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    to[i] += from[i];
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2)
    return 2;
  int const size = 100;
  std::size_t const bytes = size * sizeof(int);
  int* part[2];
  cudaStream_t stream[2];
  cudaEvent_t done[2];
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming));
    CHECK(cudaMalloc(&part[d], bytes));
    fill<<<1, 128, 0, stream[d]>>>(part[d], size, d * 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done[d], stream[d]));
  }
  CHECK(cudaSetDevice(0));
  int* other;
  CHECK(cudaMalloc(&other, bytes));
#ifndef WITHOUT_EVENT_WAIT
  CHECK(cudaStreamWaitEvent(stream[0], done[1], 0));
#endif
  CHECK(cudaMemcpyPeerAsync(other, 0, part[1], 1, bytes, stream[0]));
  add<<<1, 128, 0, stream[0]>>>(other, part[0], size);
  int result[size];
  CHECK(cudaMemcpyAsync(result, part[0], bytes, cudaMemcpyDeviceToHost, stream[0]));
#ifdef WAIT_FOR_OTHER_DEVICE
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
#else
  CHECK(cudaStreamSynchronize(stream[0]));
#endif
  bool right = true;
  for (int i = 0; i < size; ++i)
    right = right && result[i] == 1000 + 2 * i;
  CHECK(cudaStreamSynchronize(stream[0]));
  CHECK(cudaFree(other));
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaFree(part[d]));
    CHECK(cudaEventDestroy(done[d]));
    CHECK(cudaStreamDestroy(stream[d]));
  }
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
