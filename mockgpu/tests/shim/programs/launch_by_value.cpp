// HIP's macro takes the arguments by value and converts them to the kernel's parameters.
#include <hip/hip_runtime.h>

#include <cstdio>

template <class T>
__global__ void fill(T* data, T value, int count) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] = value;
}

int main() {
  float* data = nullptr;
  float host[40] = {};
  if (hipMalloc(&data, sizeof host) != hipSuccess)
    return 1;
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<float>), dim3(2), dim3(32), 0, nullptr, data, 2.5, 40u);
  if (hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  std::printf("first %g last %g\n", host[0], host[39]);
  return hipFree(data);
}
