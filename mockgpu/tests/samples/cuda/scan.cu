// An inclusive scan in one block, between two halves of a buffer in shared memory.
#include "check.hpp"

__global__ void scan(int const* in, int* out, int size) {
  extern __shared__ int buffer[];
  int const i = threadIdx.x;
  int from = 0;
  buffer[i] = i < size ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    int const to = 1 - from;
    buffer[to * blockDim.x + i] =
        buffer[from * blockDim.x + i] + (i >= distance ? buffer[from * blockDim.x + i - distance] : 0);
    from = to;
#ifndef WITHOUT_BARRIER
    __syncthreads();
#endif
  }
  if (i < size)
    out[i] = buffer[from * blockDim.x + i];
}

int main() {
  int const size = 100, threads = 128;
  int host[size], result[size];
  for (int i = 0; i < size; ++i)
    host[i] = i % 4 + 1;
  int *in, *out;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
#ifdef ONE_BUFFER_ONLY
  std::size_t const shared_bytes = threads * sizeof(int);
#else
  std::size_t const shared_bytes = 2 * threads * sizeof(int);
#endif
  scan<<<1, threads, shared_bytes>>>(in, out, size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof host, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0, sum = 0; i < size; ++i)
    right = right && result[i] == (sum += host[i]);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
