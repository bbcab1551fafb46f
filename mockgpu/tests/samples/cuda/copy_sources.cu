// Copies that go on while their thread does, and what they demand: content, alignment, a wait even
// behind a barrier of the grid. Zeroes behind a copy are a part of it, and a pipeline that is moved
// keeps its copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include <cstdio>
#include <utility>

#include "check.hpp"

namespace cg = cooperative_groups;
constexpr int threads = 32;

__global__ void with_zeroes(int4 const* from, int* sums) {
  __shared__ int4 parts[threads];
  unsigned const self = threadIdx.x;
#ifdef MISALIGNED
  auto const* const source = reinterpret_cast<int const*>(from + self) + (self == 3 ? 1 : 0);
#else
  auto const* const source = from + self;
#endif
  __pipeline_memcpy_async(&parts[self], source, sizeof(int4), 2 * sizeof(int));
  __pipeline_commit();
  int sum = 0;
#ifdef ZEROES_BEFORE_WAIT
  sum += parts[self].w;
#endif
  __pipeline_wait_prior(0);
  sums[self] += sum + parts[self].x + parts[self].y + parts[self].z + parts[self].w;
}

// A typed copy promises its type's alignment: addresses that are right for ints are not for
// doubles.
__global__ void typed(int const* from, int* sums) {
  __shared__ int parts[4];
#ifdef OF_WIDER_TYPE
  using type = double;
#else
  using type = int;
#endif
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(reinterpret_cast<type*>(&parts[1]), reinterpret_cast<type const*>(&from[1]),
                     2 * sizeof(int), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  sums[0] += parts[1] + parts[2] - 3;
}

// The C interface takes 4, 8 or 16 bytes, and no more zeroes than that.
__global__ void of_a_size(int const* from, int* sums) {
  __shared__ int parts[4];
#if defined WRONG_SIZE
  size_t const size = 12, zeroes = 0;
#elif defined TOO_MANY_ZEROES
  size_t const size = 4, zeroes = 8;
#else
  size_t const size = 4, zeroes = 4;
#endif
  __pipeline_memcpy_async(parts, from, size, zeroes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  sums[0] += parts[0];
}

__global__ void moved(int const* from, int* sums) {
  __shared__ int parts[threads];
  unsigned const self = threadIdx.x;
  auto made = cuda::make_pipeline();
  made.producer_acquire();
  cuda::memcpy_async(&parts[self], &from[self], sizeof(int), made);
  made.producer_commit();
  auto stages = std::move(made);
#ifndef READ_BEFORE_WAIT
  stages.consumer_wait();
#endif
  sums[self] += parts[self];
#ifdef READ_BEFORE_WAIT
  stages.consumer_wait();
#endif
}

__global__ void over_the_grid(int const* from, int* sums) {
  __shared__ int parts[threads];
  auto const block = cg::this_thread_block();
  cg::memcpy_async(block, parts, from, sizeof parts);
#ifndef GRID_BARRIER_ONLY
  cg::wait(block);
#endif
  cg::this_grid().sync();
  if (blockIdx.x == 1) sums[threadIdx.x] += parts[(threadIdx.x + 1) % threads];
#ifdef GRID_BARRIER_ONLY
  cg::wait(block);
#endif
}

int main() {
  constexpr int all = 4 * threads;
  int *from, *sums, host[all], found[threads], failures = 0;
  for (int i = 0; i < all; ++i) host[i] = i;
  CHECK(cudaMalloc(&from, sizeof host));
  CHECK(cudaMalloc(&sums, sizeof found));
#ifdef UNDEFINED_SOURCE
  CHECK(cudaMemcpy(from, host, sizeof(int) * threads, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
#endif
  CHECK(cudaMemset(sums, 0, sizeof found));
  with_zeroes<<<1, threads>>>(reinterpret_cast<int4 const*>(from), sums);
  CHECK(cudaGetLastError());
  moved<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  typed<<<1, 1>>>(from, sums);
  CHECK(cudaGetLastError());
  of_a_size<<<1, 1>>>(from, sums);
  CHECK(cudaGetLastError());
  void* arguments[] = {&from, &sums};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(over_the_grid), dim3(2), dim3(threads),
                                    arguments, 0, nullptr));
  CHECK(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(from));
  CHECK(cudaFree(sums));
  for (int i = 0; i < threads; ++i) failures += found[i] != 8 * i + 1 + i + (i + 1) % threads;
  std::printf(failures == 0 ? "passed\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
