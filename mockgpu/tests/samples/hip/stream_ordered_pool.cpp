// Temporaries from the stream-ordered pool: allocated, used on two streams and freed without a
// device-wide wait.
#include "check.hpp"

#include <cstdint>

__global__ void set(double* x, double value, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}
__global__ void add(double const* x, double* sum, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += x[i];
}

int main() {
  int const n = 512;
  std::size_t const bytes = n * sizeof(double);
  hipStream_t main_stream, side_stream;
  hipEvent_t ready, used;
  CHECK(hipStreamCreate(&main_stream));
  CHECK(hipStreamCreateWithFlags(&side_stream, hipStreamNonBlocking));
  CHECK(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  CHECK(hipEventCreateWithFlags(&used, hipEventDisableTiming));

  hipMemPool_t pool;
  CHECK(hipDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t threshold = UINT64_MAX; // keep what is freed for the next round
  CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));

  double* sum;
  CHECK(hipMalloc(&sum, bytes));
  CHECK(hipMemsetAsync(sum, 0, bytes, side_stream));
  for (int round = 1; round <= 4; ++round) {
    double* temporary;
    CHECK(hipMallocAsync(reinterpret_cast<void**>(&temporary), bytes, main_stream));
#ifdef USE_ON_OTHER_STREAM
    hipLaunchKernelGGL(set, dim3(4), dim3(128), 0, side_stream, temporary, double(round), n);
    CHECK(hipEventRecord(ready, main_stream));
    CHECK(hipStreamWaitEvent(side_stream, ready, 0));
#else
    hipLaunchKernelGGL(set, dim3(4), dim3(128), 0, main_stream, temporary, double(round), n);
    CHECK(hipEventRecord(ready, main_stream));
    CHECK(hipStreamWaitEvent(side_stream, ready, 0));
#endif
    hipLaunchKernelGGL(add, dim3(4), dim3(128), 0, side_stream, temporary, sum, n);
    CHECK(hipEventRecord(used, side_stream));
#ifdef FREE_ON_OTHER_STREAM
    CHECK(hipFreeAsync(temporary, main_stream)); // the side stream may still read it
#else
#ifdef FORGET_A_FREE
    if (round == 3) continue;
#endif
    CHECK(hipStreamWaitEvent(main_stream, used, 0));
    CHECK(hipFreeAsync(temporary, main_stream));
#endif
  }
  double result[n];
  CHECK(hipMemcpyAsync(result, sum, bytes, hipMemcpyDeviceToHost, side_stream));
  CHECK(hipStreamSynchronize(side_stream));
  bool right = true;
  for (double const value : result) right = right && value == 10;

  CHECK(hipFree(sum));
  CHECK(hipStreamSynchronize(main_stream));
  CHECK(hipEventDestroy(ready));
  CHECK(hipEventDestroy(used));
  CHECK(hipStreamDestroy(main_stream));
  CHECK(hipStreamDestroy(side_stream));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
