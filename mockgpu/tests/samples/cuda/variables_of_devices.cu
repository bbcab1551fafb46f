// Each device has a copy of its own of every variable: what is set on one is not there on another.
#include "check.hpp"

__constant__ int factor = 1;
__device__ int offset = 5;
__device__ int sum;

__global__ void scale(int* x, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    x[i] = factor * i + offset;
    atomicAdd(&sum, 1);
  }
}
__global__ void shift() { offset += 100; }
__global__ void store(int* to) { *to = 7; }
__global__ void load(int* to, int const* from) { *to = *from; }

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2)
    return 2;
  int const size = 100;
  bool right = true;
  int* x[2];
  void* address[2];
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&x[d], size * sizeof(int)));
    CHECK(cudaGetSymbolAddress(&address[d], offset));
  }
  right = right && address[0] != address[1];
  CHECK(cudaSetDevice(0));
  int const ten = 10;
  CHECK(cudaMemcpyToSymbol(factor, &ten, sizeof ten));
  scale<<<1, 128>>>(x[0], size);
  shift<<<1, 1>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaSetDevice(1));
  scale<<<1, 128>>>(x[1], size);
  shift<<<1, 1>>>();
  CHECK(cudaGetLastError());
  int result[2][size], counted[2], left[2], by_address = 0;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMemcpy(result[d], x[d], sizeof result[d], cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&counted[d], sum, sizeof counted[d]));
    CHECK(cudaMemcpyFromSymbol(&left[d], offset, sizeof left[d]));
    right = right && counted[d] == size && left[d] == 105;
    for (int i = 0; i < size; ++i)
      right = right && result[d][i] == (d == 0 ? 10 * i : i) + 5;
  }
  // A copy's own address, as a kernel's argument and as a copy's.
  CHECK(cudaMemcpyPeer(address[1], 1, address[0], 0, sizeof(int)));
  store<<<1, 1>>>(static_cast<int*>(address[1]));
#ifdef LOAD_ON_OTHER_STREAM
  cudaStream_t other;
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  load<<<1, 1, 0, other>>>(x[1], static_cast<int*>(address[1]));
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaStreamDestroy(other));
#else
  load<<<1, 1>>>(x[1], static_cast<int*>(address[1]));
#endif
  CHECK(cudaMemcpy(&by_address, x[1], sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&left[1], offset, sizeof(int)));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpyFromSymbol(&left[0], offset, sizeof(int)));
  right = right && by_address == 7 && left[1] == 7 && left[0] == 105;
#ifdef WITHOUT_PEER_ACCESS
  load<<<1, 1>>>(x[0], static_cast<int*>(address[1]));
#endif
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaFree(x[d]));
  }
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
