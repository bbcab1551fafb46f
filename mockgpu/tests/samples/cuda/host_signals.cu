// Host functions that tell threads of the program what they have done, in the ways that programs
// have: a condition, a semaphore, a promise, an atomic flag, a thread that is started. And one that
// holds its stream back until the program lets it go on.
#include "check.hpp"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <semaphore.h>

namespace {

constexpr int ways = 5;
constexpr int n = 64;

__global__ void count_up(int* x, int from) { x[threadIdx.x] = from + int(threadIdx.x); }

struct work {
  int* device = nullptr;
  int* host = nullptr; // pinned
  int sum = 0;
};
work all[ways];

std::mutex guard;
std::condition_variable changed;
int finished = 0;
sem_t semaphore;
std::promise<void> promise;
std::atomic<bool> flag{false};
std::thread started;
std::promise<void> gate;

void add_up(work& one) {
  one.sum = 0;
  for (int i = 0; i < n; ++i) one.sum += one.host[i];
  one.host[0] = one.sum;
}
bool right(int way) { return all[way].host[0] == n * (n - 1) / 2 + n * way; }

void by_condition(void* data) {
  add_up(*static_cast<work*>(data));
  std::lock_guard<std::mutex> const lock(guard);
  ++finished;
  changed.notify_all();
}
void by_semaphore(void* data) {
  add_up(*static_cast<work*>(data));
  sem_post(&semaphore);
}
void by_promise(void* data) {
  add_up(*static_cast<work*>(data));
  promise.set_value();
}
void by_flag(void* data) {
  add_up(*static_cast<work*>(data));
  flag.store(true);
}
void by_thread(cudaStream_t, cudaError_t, void* data) {
  started = std::thread([data] { add_up(*static_cast<work*>(data)); });
}
void wait_at_the_gate(void*) { gate.get_future().wait(); }

} // namespace

int main() {
  cudaStream_t streams[ways];
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < ways; ++i) {
    CHECK(cudaStreamCreate(&streams[i]));
    CHECK(cudaMalloc(&all[i].device, n * sizeof(int)));
    CHECK(cudaMallocHost(&all[i].host, n * sizeof(int)));
  }
  cudaHostFn_t const functions[] = {by_condition, by_semaphore, by_promise, by_flag};
  for (int i = 0; i < ways; ++i) {
    count_up<<<1, n, 0, streams[i]>>>(all[i].device, i);
    CHECK(cudaMemcpyAsync(all[i].host, all[i].device, n * sizeof(int), cudaMemcpyDeviceToHost,
                          streams[i]));
    if (i < 4) CHECK(cudaLaunchHostFunc(streams[i], functions[i], &all[i]));
  }
  CHECK(cudaStreamAddCallback(streams[4], by_thread, &all[4], 0));

  bool passed = true;
#ifndef READ_BEFORE_THE_SIGNAL
  {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [] { return finished == 1; });
  }
#endif
  passed = passed && right(0);
  sem_wait(&semaphore);
#ifdef READ_THE_WRONG_ONE // the flag's, while the semaphore has been waited for
  passed = passed && right(3);
#endif
  passed = passed && right(1);
  promise.get_future().wait();
  passed = passed && right(2);
  while (!flag.load()) {
  }
  passed = passed && right(3);
  CHECK(cudaStreamSynchronize(streams[4]));
  started.join();
  passed = passed && right(4);

  // The program goes on while the host function waits, and what it writes meanwhile is read there.
  CHECK(cudaLaunchHostFunc(streams[0], wait_at_the_gate, nullptr));
  CHECK(cudaMemcpyAsync(all[0].device, all[0].host, n * sizeof(int), cudaMemcpyHostToDevice,
                        streams[0]));
  for (int i = 0; i < n; ++i) all[0].host[i] = 3;
  gate.set_value();
  CHECK(cudaStreamSynchronize(streams[0]));
  int copied = 0;
  CHECK(cudaMemcpy(&copied, all[0].device, sizeof copied, cudaMemcpyDeviceToHost));
  passed = passed && copied == 3;

  for (int i = 0; i < ways; ++i) {
    CHECK(cudaFree(all[i].device));
    CHECK(cudaFreeHost(all[i].host));
    CHECK(cudaStreamDestroy(streams[i]));
  }
  std::puts(passed ? "passed" : "wrong results");
  return passed ? 0 : 1;
}
