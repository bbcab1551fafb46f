// A program that knows nothing of the mock: fills of one array on two streams. By its argument it
// orders them (wait), does not (race), or aborts where the first fill was the last to run (crash).
// Exits with 3 if the first fill was the last to run.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cuda_runtime_api.h"

int main(int, char** argv) {
  std::string const how = argv[1];
  std::puts("begins");
  cudaStream_t first, second;
  cudaEvent_t event;
  void* memory = nullptr;
  char result = 0;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaMalloc(&memory, 1);
  cudaMemsetAsync(memory, 1, 1, first);
  if (how == "wait") {
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
  }
  cudaMemsetAsync(memory, 2, 1, second);
  cudaDeviceSynchronize();
  cudaMemcpy(&result, memory, 1, cudaMemcpyDeviceToHost);
  if (how == "crash" && result == 1) std::abort();
  cudaFree(memory);
  cudaEventDestroy(event);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return result == 1 ? 3 : 0;
}
