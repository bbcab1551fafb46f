// Copies that go on while their thread does: of a thread's pipeline in two stages, of a group, of
// the C interface, and of a pipeline whose threads all produce and consume.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include <cstdio>

#include "check.hpp"

namespace cg = cooperative_groups;
constexpr int threads = 64, rounds = 4, all = threads * rounds;

__global__ void own_stages(int* from, int* sums) {
  __shared__ int parts[2][threads];
  int const self = int(threadIdx.x);
  auto stages = cuda::make_pipeline();
  stages.producer_acquire();
  cuda::memcpy_async(&parts[0][self], &from[self], sizeof(int), stages);
  stages.producer_commit();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) {
      stages.producer_acquire();
      cuda::memcpy_async(&parts[(round + 1) % 2][self], &from[(round + 1) * threads + self],
                         sizeof(int), stages);
      stages.producer_commit();
    }
#ifdef OVERWRITE_SOURCE
    from[round * threads + self] = 0;
#endif
#ifndef READ_BEFORE_WAIT
    stages.consumer_wait();
#endif
    sum += parts[round % 2][self];
    stages.consumer_release();
  }
#ifdef READ_BEFORE_WAIT
  stages.consumer_wait();
#endif
  sums[self] += sum;
}

__global__ void by_group(int const* from, int* sums) {
  __shared__ int parts[all];
  auto const block = cg::this_thread_block();
  cg::memcpy_async(block, parts, from, sizeof(int) * all);
#ifdef BARRIER_ONLY
  __syncthreads();
#else
  cg::wait(block);
#endif
  for (int round = 0; round < rounds; ++round)
    sums[threadIdx.x] += parts[round * threads + (threadIdx.x + 1) % threads];
#ifdef BARRIER_ONLY
  cg::wait(block);
#endif
}

__global__ void by_functions(int const* from, int* sums) {
  __shared__ int4 parts[2][threads];
  unsigned const self = threadIdx.x;
  if (self < all / 4) __pipeline_memcpy_async(&parts[0][self], from + 4 * self, sizeof(int4));
  __pipeline_commit();
  if (self < all / 4) __pipeline_memcpy_async(&parts[1][self], from + 4 * self, sizeof(int4));
  __pipeline_commit();
#ifdef KEEP_TOO_MANY
  __pipeline_wait_prior(2);
#else
  __pipeline_wait_prior(1);
#endif
  if (self < all / 4) sums[self] += parts[0][self].x + parts[0][self].w;
  __pipeline_wait_prior(0);
}

__global__ void together(int const* from, int* sums) {
  constexpr unsigned char stages = 2;
  __shared__ int parts[stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto const block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int round = 0, next = 0; round < rounds; ++round) {
    for (; next < rounds && next < round + stages; ++next) {
#ifndef WITHOUT_ACQUIRE
      pipeline.producer_acquire();
#endif
      cuda::memcpy_async(block, parts[next % stages], from + next * threads, sizeof(int) * threads,
                         pipeline);
      pipeline.producer_commit();
    }
#ifndef WITHOUT_CONSUMER_WAIT
    pipeline.consumer_wait();
#endif
    sum += parts[round % stages][(threadIdx.x + 1) % threads];
    pipeline.consumer_release();
  }
  sums[threadIdx.x] += sum;
}

int main() {
  int *from, *sums, host[all], found[threads], failures = 0;
  for (int i = 0; i < all; ++i) host[i] = i;
  CHECK(cudaMalloc(&from, sizeof host));
  CHECK(cudaMalloc(&sums, sizeof found));
  CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(sums, 0, sizeof found));
  own_stages<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  by_group<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  by_functions<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  together<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(from));
  CHECK(cudaFree(sums));
  for (int i = 0; i < threads; ++i) {
    int const next = (i + 1) % threads;
    int const column = rounds * i + threads * 6, next_column = rounds * next + threads * 6;
    failures += found[i] != column + 2 * next_column + 8 * i + 3;
  }
  std::printf(failures == 0 ? "passed\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
