// Host threads that use the GPU at the same time, and one that hands its result to another. With an
// argument the result is handed on before the copy is waited for.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }
__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

static std::mutex guard;
static std::condition_variable changed;
static bool ready = false;
static int host[16];

static void* sum_up(void* result) {
  int* data = nullptr;
  int mine[8];
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) || cudaMalloc(&data, sizeof mine)) return result;
  for (int i = 0; i < 20; ++i) {
    fill<<<1, 8, 0, stream>>>(data, i);
    add<<<1, 8, 0, stream>>>(data, 1);
    cudaMemcpyAsync(mine, data, sizeof mine, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    *static_cast<std::atomic<int>*>(result) += mine[7];
  }
  if (cudaFree(data) || cudaStreamDestroy(stream)) return result;
  return nullptr;
}

int main(int argc, char**) {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(sum_up, &sum);
  pthread_t raw;
  void* failed = &sum;
  pthread_create(&raw, nullptr, sum_up, &sum);
  pthread_join(raw, &failed);
  for (std::thread& one : threads) one.join();

#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) {
    int* data = nullptr;
    int value = 0;
    cudaMalloc(&data, sizeof value);
    fill<<<1, 1>>>(data, i);
    cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(data);
    sum += value;
  }

  int* data = nullptr;
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) || cudaMalloc(&data, sizeof host)) return 1;
  std::thread consumer([&] {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [] { return ready; });
    sum += host[0];
  });
  std::thread producer([&] {
    fill<<<1, 16, 0, stream>>>(data, 5);
    cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream);
    if (argc == 1) cudaStreamSynchronize(stream);
    std::lock_guard<std::mutex> const lock(guard);
    ready = true;
    changed.notify_one();
  });
  producer.join();
  consumer.join();
  cudaStreamSynchronize(stream);
  std::printf("sum %d failed %d\n", sum.load(), failed != nullptr);
  return cudaFree(data) || cudaStreamDestroy(stream);
}
