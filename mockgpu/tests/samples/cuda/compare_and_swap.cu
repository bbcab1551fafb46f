// Atomics that the device does not have, as loops of compare-and-swap: each begins with a plain read, whose value
// decides nothing until the exchange has found it again. Two kernels on two streams may do so too.
#include "check.hpp"

#include <cuda_fp16.h>

#include <cstring>

struct pair_of_shorts {
  short low, high;
};

template <class To, class From> __device__ To bits_as(From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T, class Word, class Update>
__device__ void change(T* where, Update update) {
  auto* const word = reinterpret_cast<Word*>(where);
  Word old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, bits_as<Word>(update(bits_as<T>(assumed))));
  } while (assumed != old);
}

struct results {
  double sum;
  unsigned long long beside;
  float largest;
  int smallest;
  pair_of_shorts counts;
  __half half_sum;
};

__global__ void reduce(results* to, float const* data, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float const value = data[i];
#ifdef OTHER_ADDRESS
  auto const found = bits_as<unsigned long long>(to->sum);
  atomicCAS(&to->beside, found, found + 1);
#endif
  change<double, unsigned long long>(&to->sum, [=](double old) { return old + value; });
  change<float, unsigned>(&to->largest, [=](float old) { return old < value ? value : old; });
  change<int, int>(&to->smallest, [=](int old) { return int(value) < old ? int(value) : old; });
  change<pair_of_shorts, int>(&to->counts, [=](pair_of_shorts old) {
    return pair_of_shorts{short(old.low + 1), short(old.high + (value > 2))};
  });
  change<__half, unsigned short>(
      &to->half_sum, [=](__half old) { return __float2half(__half2float(old) + 1.0f); });
#ifdef USES_THE_READ
  if (to->sum < -value) __trap();
#endif
#ifdef PLAIN_STORE
  if (i == 17) to->largest = 0;
#endif
#ifdef DECIDES_BY_THE_READ
  if (to->smallest > -i) atomicCAS(&to->smallest, 5, -i);
#endif
}

// A thread of each block counts, with a lock that several blocks take.
__device__ int lock_word;
__global__ void count_under_lock(int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
#ifndef WITHOUT_FENCES
  __threadfence();
#endif
  *count += 1;
#ifndef WITHOUT_FENCES
  __threadfence();
#endif
  atomicExch(&lock_word, 0);
}

// The same with a lock that is looked at before it is tried.
__device__ int other_lock;
__global__ void count_under_watched_lock(int* count) {
  if (threadIdx.x != 0) return;
  do {
    while (*static_cast<int volatile*>(&other_lock) != 0) {
    }
  } while (atomicCAS(&other_lock, 0, 1) != 0);
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(&other_lock, 0);
}

int main() {
  int const size = 300;
  float host[size];
  for (int i = 0; i < size; ++i)
    host[i] = float(i % 7);
  float* data;
  results* device;
  int* count;
  results expected{}, result;
  expected.smallest = 100;
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMalloc(&device, sizeof result));
  CHECK(cudaMalloc(&count, sizeof(int)));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device, &expected, sizeof result, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(count, 0, sizeof(int)));
  cudaStream_t streams[2];
  for (cudaStream_t& one : streams)
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  for (cudaStream_t const one : streams) {
    reduce<<<3, 128, 0, one>>>(device, data, size);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());
  count_under_lock<<<4, 32>>>(count);
  CHECK(cudaGetLastError());
  count_under_watched_lock<<<4, 32>>>(count);
  CHECK(cudaGetLastError());
  int counted = 0;
  CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&counted, count, sizeof counted, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float const one : host)
    sum += 2 * one;
  bool const right = result.sum == sum && result.largest == 6 && result.smallest == 0 &&
                     result.counts.low == 2 * size && counted == 8;
  for (cudaStream_t const one : streams)
    CHECK(cudaStreamDestroy(one));
  CHECK(cudaFree(data));
  CHECK(cudaFree(device));
  CHECK(cudaFree(count));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
