// Barriers of libcu++ beyond meeting: threads that look without waiting, threads that leave, and
// flags and values that others wait for.
#include <cuda/atomic>
#include <cuda/barrier>

#include <cstdio>

#include "check.hpp"

constexpr int threads = 32;

/* Half of the threads leave after the first phase; the others go on without them. */
__global__ void leave_and_look(int* values) {
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ int parts[threads];
  int const self = int(threadIdx.x), half = threads / 2;
  if (self == 0) init(&meeting, threads);
  __syncthreads();
  parts[self] = values[self];
  if (self >= half) {
    meeting.arrive_and_drop();
    return;
  }
  auto const token = meeting.arrive();
#ifdef LOOK_ONCE
  static_cast<void>(meeting.try_wait(token));
  int const sum = parts[self] + parts[self + half];
#endif
  while (!meeting.try_wait(token)) {
  }
#ifndef LOOK_ONCE
  int const sum = parts[self] + parts[self + half];
#endif
#ifndef ONE_PHASE_ONLY
  meeting.arrive_and_wait();
#endif
  parts[(self + 1) % half] = sum;
  meeting.arrive_and_wait();
  values[self] = parts[self];
}

/* Block 0 announces a value, a flag lets one block in after the other. */
__global__ void announce(cuda::atomic<int, cuda::thread_scope_device>* stage,
                         cuda::std::atomic_flag* taken, int* value, int* total) {
  if (blockIdx.x == 0) {
    *value = 5;
#ifdef RELAXED_ANNOUNCEMENT
    stage->store(1, cuda::memory_order_relaxed);
#else
    stage->store(1, cuda::memory_order_release);
#endif
    stage->notify_all();
  } else {
    stage->wait(0, cuda::memory_order_acquire);
    while (taken->test_and_set(cuda::std::memory_order_acquire)) {
    }
    *total += *value;
#ifdef RELAXED_CLEAR
    taken->clear(cuda::std::memory_order_relaxed);
#else
    taken->clear(cuda::std::memory_order_release);
#endif
  }
}

int main() {
  int *values, *numbers, host[threads], found[2], failures = 0;
  cuda::atomic<int, cuda::thread_scope_device>* stage;
  cuda::std::atomic_flag* taken;
  for (int i = 0; i < threads; ++i) host[i] = i;
  CHECK(cudaMalloc(&values, sizeof host));
  CHECK(cudaMalloc(&numbers, sizeof found));
  CHECK(cudaMalloc(&stage, sizeof *stage));
  CHECK(cudaMalloc(&taken, sizeof *taken));
  CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(numbers, 0, sizeof found));
  CHECK(cudaMemset(stage, 0, sizeof *stage));
  CHECK(cudaMemset(taken, 0, sizeof *taken));
  leave_and_look<<<1, threads>>>(values);
  CHECK(cudaGetLastError());
  announce<<<4, 1>>>(stage, taken, numbers, numbers + 1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  CHECK(cudaFree(numbers));
  CHECK(cudaFree(stage));
  CHECK(cudaFree(taken));
  for (int i = 0; i < threads / 2; ++i) {
    int const from = (i + threads / 2 - 1) % (threads / 2);
    failures += host[i] != 2 * from + threads / 2;
  }
  failures += found[1] != 15;
  std::printf(failures == 0 ? "passed\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
