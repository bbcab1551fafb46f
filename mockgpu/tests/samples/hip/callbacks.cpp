// Host work in stream order: each of several workloads ends with a function of the host that checks
// and scales its part, and the last of all sets a flag that the program waits for.
#include "check.hpp"

#include <atomic>

namespace {

constexpr int workloads = 4;
constexpr int n = 256;

struct workload {
  int number = 0;
  int* device = nullptr;
  int* host = nullptr;
  int sum = 0;
};

std::atomic<int> finished{0};

__global__ void count_up(int* x, int from, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) x[i] = from + i;
}

void add_up(void* data) {
  auto& one = *static_cast<workload*>(data);
  for (int i = 0; i < n; ++i) one.sum += one.host[i];
}

void report_status(hipStream_t, hipError_t status, void*) {
  if (status == hipSuccess) finished.fetch_add(1);
}

} // namespace

int main() {
  workload all[workloads];
  hipStream_t streams[workloads];
  for (int i = 0; i < workloads; ++i) {
    all[i].number = i;
    CHECK(hipStreamCreate(&streams[i]));
    CHECK(hipMalloc(&all[i].device, n * sizeof(int)));
    CHECK(hipHostMalloc(&all[i].host, n * sizeof(int), hipHostMallocDefault));
  }
  for (int i = 0; i < workloads; ++i) {
    hipLaunchKernelGGL(count_up, dim3(2), dim3(128), 0, streams[i], all[i].device, i, n);
    CHECK(hipMemcpyAsync(all[i].host, all[i].device, n * sizeof(int), hipMemcpyDeviceToHost,
                         streams[i]));
    CHECK(hipLaunchHostFunc(streams[i], add_up, &all[i]));
    CHECK(hipStreamAddCallback(streams[i], report_status, nullptr, 0));
  }
#ifdef READ_BEFORE_CALLBACK
  bool right = all[0].host[0] == 0;
  CHECK(hipDeviceSynchronize());
#else
  CHECK(hipDeviceSynchronize());
  bool right = all[0].host[0] == 0;
#endif
  right = right && finished == workloads;
  for (int i = 0; i < workloads; ++i) right = right && all[i].sum == n * (n - 1) / 2 + n * i;
  for (int i = 0; i < workloads; ++i) {
    CHECK(hipFree(all[i].device));
    CHECK(hipHostFree(all[i].host));
    CHECK(hipStreamDestroy(streams[i]));
  }
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
