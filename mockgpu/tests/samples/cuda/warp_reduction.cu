// Sums by shuffles inside warps and shared memory between them.
#include "check.hpp"

__global__ void sum(int const* in, int* out, int size) {
  __shared__ int of_warp[32];
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = 0;
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    value += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (lane == 0)
    of_warp[warp] = value;
#ifdef BARRIER_IN_A_BRANCH
  if (lane < 16)
    __syncthreads();
#elif !defined(WITHOUT_BARRIER)
  __syncthreads();
#endif
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? of_warp[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (__any_sync(0xffffffffu, lane == 31) && lane == 0)
      *out = value;
  }
}

int main() {
  int const size = 1000;
  int host[size], expected = 0, result = 0;
  for (int i = 0; i < size; ++i)
    expected += host[i] = i % 11;
  int *in, *out;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  sum<<<1, 128>>>(in, out, size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  std::puts(result == expected ? "passed" : "wrong results");
  return result == expected ? 0 : 1;
}
