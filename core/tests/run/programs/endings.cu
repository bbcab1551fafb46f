// Queues two racing kernels, then ends as the argument says.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <unistd.h>

extern "C" void mockgpu_require_layout(char const*);

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }

int main(int count, char** arguments) {
  char const* const how = count > 1 ? arguments[1] : "";
  if (std::strcmp(how, "idle") == 0) return 0; // no call of the runtime
  if (std::strcmp(how, "four") == 0) return 4;
  if (std::strcmp(how, "old") == 0) mockgpu_require_layout("another");
  int* data = nullptr;
  cudaMalloc(&data, 32 * sizeof(int));
  cudaStream_t left, right;
  cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
  int one = 1, two = 2;
  void* first[] = {&data, &one};
  void* second[] = {&data, &two};
  cudaLaunchKernel((void*)fill, 1, 32, first, 0, left);
  cudaLaunchKernel((void*)fill, 1, 32, second, 0, right);
  cudaDeviceSynchronize();
  std::fprintf(stderr, "going to %s\n", how);
  if (std::strcmp(how, "hang") == 0)
    for (;;) pause();
  if (std::strcmp(how, "crash") == 0) raise(SIGKILL);
  if (std::strcmp(how, "fail") == 0) return 5;
  if (std::strcmp(how, "leave") == 0) _exit(0);
  cudaStreamDestroy(left);
  cudaStreamDestroy(right);
  return cudaFree(data);
}
