// Scales an array on the device, with the care that the argument names: "careful" looks at every
// status, "checked" at the result alone.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void scale(float* data, float factor) { data[threadIdx.x] *= factor; }

static bool careful;

static bool failed(cudaError_t status) {
  if (!careful || status == cudaSuccess) return false;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(3);
}

int main(int count, char** arguments) {
  careful = count > 1 && std::strcmp(arguments[1], "careful") == 0;
  float host[32];
  for (int i = 0; i < 32; ++i) host[i] = float(i);
  float* data = nullptr;
  failed(cudaMalloc(&data, sizeof host));
  failed(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  float factor = 2;
  void* parameters[] = {&data, &factor};
  failed(cudaLaunchKernel((void*)scale, 1, 32, parameters, 0, nullptr));
  failed(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  failed(cudaFree(data));
  std::printf("%g\n", host[31]);
  return count > 1 && std::strcmp(arguments[1], "checked") == 0 && host[31] != 62;
}
