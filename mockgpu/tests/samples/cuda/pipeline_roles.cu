// Pipelines whose threads either produce or consume: of a block by roles and by a number of
// producers, and of each of two tiles by roles that differ.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include <cstdio>

#include "check.hpp"

namespace cg = cooperative_groups;
constexpr int threads = 64, half = threads / 2, rounds = 4;
constexpr unsigned char stages = 2;
using shared_state = cuda::pipeline_shared_state<cuda::thread_scope_block, stages>;

template <class Pipeline>
__device__ void run(Pipeline& by, int (*parts)[threads], int const* from, int* sums, unsigned rank,
                    unsigned producers, unsigned all) {
  if (rank < producers) {
    for (int round = 0; round < rounds; ++round) {
#ifndef COPY_BEFORE_ACQUIRE
      by.producer_acquire();
#endif
      for (unsigned i = rank; i < all; i += producers)
        cuda::memcpy_async(&parts[round % stages][i], &from[round * threads + i], sizeof(int), by);
#ifdef COPY_BEFORE_ACQUIRE
      by.producer_acquire();
#endif
      by.producer_commit();
    }
    return;
  }
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
#ifndef READ_BEFORE_WAIT
    by.consumer_wait();
#endif
    sum += parts[round % stages][rank] + parts[round % stages][all - 1 - rank];
#ifdef READ_BEFORE_WAIT
    by.consumer_wait();
#endif
    by.consumer_release();
  }
  sums[rank] += sum;
}

__global__ void of_block(int const* from, int* sums) {
  __shared__ int parts[stages][threads];
  __shared__ shared_state by_role, by_count;
  auto const block = cg::this_thread_block();
  unsigned const rank = block.thread_rank();
  auto roles = cuda::make_pipeline(
      block, &by_role, rank < half ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  run(roles, parts, from, sums, rank, half, threads);
  block.sync();
  auto counted = cuda::make_pipeline(block, &by_count, size_t{16});
  run(counted, parts, from, sums, rank, 16, threads);
}

__global__ void of_tiles(int const* from, int* sums) {
  __shared__ int parts[2][stages][threads];
  __shared__ shared_state states[2];
  auto const tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned const which = tile.meta_group_rank(), producers = which == 0 ? 16 : 8;
  auto roles = cuda::make_pipeline(tile, &states[which],
                                   tile.thread_rank() < producers ? cuda::pipeline_role::producer
                                                                  : cuda::pipeline_role::consumer);
  run(roles, parts[which], from + 32 * which, sums + 32 * which, tile.thread_rank(), producers, 32);
}

int main() {
  constexpr int all = threads * rounds;
  int *from, *sums, host[all], found[threads], failures = 0;
  for (int i = 0; i < all; ++i) host[i] = i;
  CHECK(cudaMalloc(&from, sizeof host));
  CHECK(cudaMalloc(&sums, sizeof found));
  CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(sums, 0, sizeof found));
  of_block<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  of_tiles<<<1, threads>>>(from, sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(from));
  CHECK(cudaFree(sums));
  for (int i = 0; i < threads; ++i) {
    int const whole = rounds * (threads - 1) + 2 * threads * (rounds * (rounds - 1) / 2);
    int const tile = rounds * (31 + 64 * (i / 32)) + 2 * threads * (rounds * (rounds - 1) / 2);
    int const expected =
        (i >= half ? whole : 0) + (i >= 16 ? whole : 0) + (i % 32 >= (i < 32 ? 16 : 8) ? tile : 0);
    failures += found[i] != expected;
  }
  std::printf(failures == 0 ? "passed\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
