// Two kernels on two streams write one array. With the argument "wait" the second stream waits.
#include <cstdio>
#include <cstring>

__global__ void fill(float* data, float value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main(int count, char** arguments) {
  bool const waits = count > 1 && std::strcmp(arguments[1], "wait") == 0;
  float* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(float)) != cudaSuccess) return 2;
  cudaStream_t left, right;
  cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);
  float one = 1, two = 2;
  void* first[] = {&data, &one};
  cudaLaunchKernel((void*)fill, dim3(2), dim3(32), first, 0, left);
  if (waits) {
    cudaEventRecord(done, left);
    cudaStreamWaitEvent(right, done, 0);
  }
  void* second[] = {&data, &two};
  cudaLaunchKernel((void*)fill, dim3(2), dim3(32), second, 0, right);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  float result = 0;
  cudaMemcpy(&result, data, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("waits %d, arguments %d\n", waits, count);
  cudaEventDestroy(done);
  cudaStreamDestroy(left);
  cudaStreamDestroy(right);
  return cudaFree(data);
}
