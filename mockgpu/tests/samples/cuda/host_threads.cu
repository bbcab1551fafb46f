// Host threads that work side by side: each has a stream, a device array and ordinary host memory
// of its own, and looks at its results once it has waited for them.
#include "check.hpp"

#include <atomic>
#include <thread>
#include <vector>

__global__ void add(int* x, int size, int value) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    x[i] += value;
}

std::atomic<int> wrong{0};

void work(int seed) {
  constexpr int size = 700, rounds = 100;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int* x;
  CHECK(cudaMalloc(&x, size * sizeof(int)));
  std::vector<int> host(size);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < size; ++i)
      host[i] = seed * round + i;
    CHECK(cudaMemcpyAsync(x, host.data(), size * sizeof(int), cudaMemcpyHostToDevice, stream));
    add<<<(size + 127) / 128, 128, 0, stream>>>(x, size, seed);
    CHECK(cudaMemcpyAsync(host.data(), x, size * sizeof(int), cudaMemcpyDeviceToHost, stream));
#ifndef WITHOUT_WAIT
    CHECK(cudaStreamSynchronize(stream));
#endif
    for (int i = 0; i < size; ++i)
      if (host[i] != seed * round + i + seed)
        ++wrong;
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(x));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  std::vector<std::thread> threads;
  for (int seed = 1; seed <= 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread& one : threads)
    one.join();
  std::puts(wrong == 0 ? "passed" : "wrong results");
  return wrong == 0 ? 0 : 1;
}
