// A transpose of a small matrix inside one warp by shuffles, then a reversal through shared memory.
#include "check.hpp"

constexpr int width = 4;

__global__ void transpose_and_reverse(float* out, float const* in) {
  __shared__ float turned[width * width];
  int const i = threadIdx.x;
  float const value = in[i];
  turned[i] = __shfl(value, (i % width) * width + i / width);
#ifndef WITHOUT_BARRIER
  __syncthreads();
#endif
  out[i] = turned[width * width - 1 - i];
}

int main() {
  float host[width * width], result[width * width];
  for (int i = 0; i < width * width; ++i) host[i] = float(i) * 10;
  float *in, *out;
  CHECK(hipMalloc(&in, sizeof host));
  CHECK(hipMalloc(&out, sizeof host));
  CHECK(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
  hipLaunchKernelGGL(transpose_and_reverse, dim3(1), dim3(width * width), 0, 0, out, in);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(result, out, sizeof host, hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < width * width; ++i) {
    int const from = width * width - 1 - i;
    right = right && result[i] == host[(from % width) * width + from / width];
  }
  CHECK(hipFree(in));
  CHECK(hipFree(out));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
