// HIP's ways of launching, with the names of older programs.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void add(float* __restrict__ sum, float const* a, float const* b, int count) {
  int const i = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x;
  if (i < count) sum[i] = a[i] + b[i];
}
template <class T, int Power> __global__ void raise(T* out, T const* in, size_t count) {
  size_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = 1;
  for (int k = 0; k < Power; ++k) out[i] *= in[i];
}
template <class T> __global__ void copy(T* out, T const* in, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) out[i] = in[i];
}

int main() {
  int const count = 100;
  float host[count];
  for (float& x : host) x = 1.5f;
  float *a = nullptr, *b = nullptr;
  hipStream_t stream;
  if (hipMalloc(&a, sizeof host) || hipMalloc(reinterpret_cast<void**>(&b), sizeof host) ||
      hipStreamCreate(&stream))
    return 1;
  hipError_t failed = hipMemcpyAsync(a, host, sizeof host, hipMemcpyHostToDevice, stream);
  hipLaunchKernelGGL(add, dim3(2), dim3(64), 0, stream, b, a, a, count);              // b = 3
  hipLaunchKernelGGL((raise<float, 2>), 2, 64, 0, stream, a, b, size_t(count));       // a = 9
  hipLaunchKernelGGL(HIP_KERNEL_NAME(raise<float, 1>), 2, 64, 0, stream, b, a, 100);  // b = 9
  hipLaunchKernelGGL(copy, 1, 64, 0, stream, a, static_cast<float const*>(b), count); // deduced
  raise<float, 2><<<2, 64, 0, stream>>>(b, a, count);                                 // b = 81
  if (!failed) failed = hipGetLastError();
  if (!failed) failed = hipMemcpyAsync(host, b, sizeof host, hipMemcpyDeviceToHost, stream);
  if (!failed) failed = hipStreamSynchronize(stream);
  std::printf("%s %g %g\n", hipGetErrorName(failed), host[0], host[count - 1]);
  return hipFree(a) || hipFree(b) || hipStreamDestroy(stream);
}
