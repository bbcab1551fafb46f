// Every way of writing a launch that needs no device compiler. Prints what it computed.
#include <cstdio>

__global__ void scale(double factor, double* data, int count) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] *= factor;
}
template <class T, int Step>
__global__ void step(T* data, int count) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] += Step;
}
extern "C" __global__ void no_arguments() {}
static __global__ void quiet(double* data) { data[0] += 100; }

int main(int argc, char**) {
  int count = 50;
  double factor = 2;
  double* data = nullptr;
  double host[50];
  for (double& x : host)
    x = 1;
  if (cudaMalloc(&data, sizeof host) != cudaSuccess)
    return 1;
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  void* scale_arguments[] = {&factor, &data, &count};
  void* step_arguments[] = {&data, &count};
  bool const many = argc > 100;
  cudaError_t status = cudaLaunchKernel((void*)scale, dim3(2), dim3(32), scale_arguments, 0, nullptr);    // 2
  status = cudaLaunchKernel((const void*)&scale, dim3(2, 1), 32, scale_arguments, 0, nullptr);            // 4
  status = cudaLaunchKernel(scale, 2, 32, scale_arguments);                                               // 8
  status = cudaLaunchKernel((void*)step<double, 5>, dim3(2), dim3(32), step_arguments, 0, cudaStream_t()); // 13
  status = cudaLaunchKernel((many ? step<double, 1> : step<double, 2>), 2, 32, step_arguments);           // 15
  void (*held)(double*) = quiet;
  status = cudaLaunchKernel((void*)held, 1, 1, step_arguments);                                           // 115 at 0
  status = cudaLaunchKernel((void*)no_arguments, dim3(1), dim3(1), nullptr, 0, nullptr);
  void const* untyped = (void const*)quiet;
  status = cudaLaunchKernel(untyped, dim3(1), dim3(1), step_arguments, 0, nullptr);                       // 215 at 0
  void const* no_kernel = &factor;
  int const refused = cudaLaunchKernel(no_kernel, dim3(1), dim3(1), step_arguments, 0, nullptr);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("status %d first %g last %g refused %d\n", static_cast<int>(status), host[0], host[49], refused);
  return cudaFree(data);
}
