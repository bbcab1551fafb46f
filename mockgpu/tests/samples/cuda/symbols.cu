// Constants and device variables, set and read through their symbols.
#include "check.hpp"

__constant__ float coefficients[4];
__device__ float offset = 1;
__device__ int calls;

// Without a word of where it lies: the device has it.
__device__ int next() {
  static int last = 0;
  return ++last;
}
template <class T>
__device__ T next_of_type() {
  static T last;
  return ++last;
}

__global__ void polynomial(float* x, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    float value = 0;
    for (int k = 3; k >= 0; --k)
      value = value * x[i] + coefficients[k];
    x[i] = value + offset;
  }
  if (i == 0)
    calls += next() * next_of_type<int>();
}

int main() {
  int const size = 100;
  float host[size], result[size];
  for (int i = 0; i < size; ++i)
    host[i] = float(i % 8);
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  float* x;
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, stream));

  float const chosen[4] = {1, 0, 2, 1};
#ifdef SET_ON_OTHER_STREAM
  CHECK(cudaMemcpyToSymbolAsync(coefficients, chosen, sizeof chosen, 0, cudaMemcpyHostToDevice, other));
#else
  CHECK(cudaMemcpyToSymbolAsync(coefficients, chosen, sizeof chosen, 0, cudaMemcpyHostToDevice, stream));
#endif
  polynomial<<<2, 64, 0, stream>>>(x, size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(result, x, sizeof host, cudaMemcpyDeviceToHost, stream));
#ifndef READ_TOO_EARLY
  CHECK(cudaStreamSynchronize(stream));
#endif
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  CHECK(cudaDeviceSynchronize());

  std::size_t bytes = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&bytes, coefficients));
  CHECK(cudaGetSymbolAddress(&address, offset));
  bool right = count == 1 && bytes == sizeof chosen && address != nullptr;
  for (int i = 0; i < size; ++i)
    right = right && result[i] == 2 + host[i] * host[i] * (2 + host[i]);
  CHECK(cudaFree(x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
