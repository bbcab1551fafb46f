// Atomics of libcu++: a block hands a value on by a flag, all count in a reference, and the threads
// of a block meet at a barrier of their own.
#include <cuda/atomic>
#include <cuda/barrier>

#include <cstdio>

#include "check.hpp"

#ifdef RELAXED_STORE
constexpr auto store_order = cuda::memory_order_relaxed;
#else
constexpr auto store_order = cuda::memory_order_release;
#endif
#ifdef RELAXED_LOAD
constexpr auto load_order = cuda::memory_order_relaxed;
#else
constexpr auto load_order = cuda::memory_order_acquire;
#endif
#ifdef BLOCK_SCOPE
using flag_type = cuda::atomic<unsigned, cuda::thread_scope_block>;
#else
using flag_type = cuda::atomic<unsigned, cuda::thread_scope_device>;
#endif

__global__ void hand_on(int* value, flag_type* flag, int* result) {
  if (blockIdx.x == 0) {
    *value = 42;
#ifdef ACQUIRE_ONLY
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    static_cast<void>(flag->load(cuda::memory_order_acquire));
    flag->store(1, cuda::memory_order_relaxed);
#else
    flag->store(1, store_order);
#endif
  } else {
    while (flag->load(load_order) == 0) {
    }
    *result = *value;
  }
}

/* A counter that its own thread alone uses; of one thread only, it is none for others. */
__global__ void count_alone(cuda::atomic<int, cuda::thread_scope_thread>* counters) {
#ifdef THREAD_SCOPE
  ++counters[0];
#else
  ++counters[threadIdx.x];
  counters[threadIdx.x].fetch_add(1, cuda::memory_order_relaxed);
#endif
}

__global__ void count(int* total, float* sum, int* largest) {
#ifdef PLAIN_COUNT
  *total += 1;
#else
  cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(1, cuda::memory_order_relaxed);
#endif
  cuda::atomic_ref<float, cuda::thread_scope_device>(*sum) += 0.5f;
  cuda::atomic_ref<int>(*largest).fetch_max(int(threadIdx.x), cuda::std::memory_order_relaxed);
}

__global__ void rotate(int* values) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all_here;
  __shared__ int parts[64];
  if (threadIdx.x == 0) init(&all_here, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 2; ++round) {
    cuda::memcpy_async(&parts[threadIdx.x], &values[threadIdx.x], sizeof(int), all_here);
    auto token = all_here.arrive();
#ifndef WITHOUT_WAIT
    all_here.wait(static_cast<decltype(token)&&>(token));
#endif
    values[threadIdx.x] = parts[(threadIdx.x + 1) % blockDim.x];
    all_here.arrive_and_wait();
  }
}

int main() {
  int *value, *result, *counts, *values, found[4] = {}, rotated[64], failures = 0;
  float *sum, half = 0;
  flag_type* flag;
  CHECK(cudaMalloc(&value, sizeof(int)));
  CHECK(cudaMalloc(&result, sizeof(int)));
  CHECK(cudaMalloc(&flag, sizeof(flag_type)));
  CHECK(cudaMalloc(&counts, 2 * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(float)));
  CHECK(cudaMalloc(&values, 64 * sizeof(int)));
  cuda::atomic<int, cuda::thread_scope_thread>* counters;
  int counted[8];
  CHECK(cudaMalloc(&counters, sizeof counted));
  CHECK(cudaMemset(counters, 0, sizeof counted));
  CHECK(cudaMemset(flag, 0, sizeof(flag_type)));
  CHECK(cudaMemset(counts, 0, 2 * sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(float)));
  for (int i = 0; i < 64; ++i) rotated[i] = i;
  CHECK(cudaMemcpy(values, rotated, sizeof rotated, cudaMemcpyHostToDevice));
  hand_on<<<2, 1>>>(value, flag, result);
  CHECK(cudaGetLastError());
  count<<<2, 64>>>(counts, sum, counts + 1);
  CHECK(cudaGetLastError());
  count_alone<<<1, 8>>>(counters);
  CHECK(cudaGetLastError());
  rotate<<<1, 64>>>(values);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found, result, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(found + 1, counts, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&half, sum, sizeof half, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(rotated, values, sizeof rotated, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(counted, counters, sizeof counted, cudaMemcpyDeviceToHost));
  for (int const one : counted) failures += one != 2;
  CHECK(cudaFree(counters));
  for (int i = 0; i < 64; ++i) failures += rotated[i] != (i + 2) % 64;
  CHECK(cudaFree(value));
  CHECK(cudaFree(result));
  CHECK(cudaFree(flag));
  CHECK(cudaFree(counts));
  CHECK(cudaFree(sum));
  CHECK(cudaFree(values));
  // On the host they are atomics as well.
  cuda::atomic<int> here(1);
  here.fetch_add(2);
  int expected = 3;
  bool const exchanged = here.compare_exchange_strong(expected, 7);
  if (found[0] != 42 || found[1] != 128 || found[2] != 63 || half != 64.0f || failures != 0 ||
      !exchanged || here.load() != 7) {
    std::printf("%d %d %d %g, %d wrong, here %d\n", found[0], found[1], found[2], double(half),
                failures, here.load());
    return 1;
  }
  std::printf("passed\n");
}
