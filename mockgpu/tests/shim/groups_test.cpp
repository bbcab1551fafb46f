#include "grid_call.hpp"

#include "cooperative_groups.h"
#include "cooperative_groups/reduce.h"

#include <vector>

#include <gtest/gtest.h>

namespace {

namespace cg = cooperative_groups;
using mockgpu::grid_end;
using mockgpu::tests::run;

void sum_in_tiles(int* sums, int* ranks) {
  cg::thread_block const block = cg::this_thread_block();
  cg::thread_block_tile<8> const tile = cg::tiled_partition<8>(block);
  int value = static_cast<int>(threadIdx.x);
  for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
    value += tile.shfl_down(value, offset);
  sums[threadIdx.x] = tile.shfl(value, 0);
  ranks[threadIdx.x] = static_cast<int>(tile.meta_group_rank() * 8 + tile.thread_rank());
}

TEST(CooperativeGroups, SumInTilesOfAWarp) {
  std::vector<int> sums(40), ranks(40);
  EXPECT_EQ(run(sum_in_tiles, dim3(1), dim3(40), sums.data(), ranks.data()).why, grid_end::none);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(sums[std::size_t(i)], i / 8 * 64 + 28) << i; // 8 times the tile's first, and 0 to 7
    EXPECT_EQ(ranks[std::size_t(i)], i);
  }
}

void meet_in_a_branch(int* sizes, int* ranks, int* least) {
  if (threadIdx.x % 3 != 0) return;
  cg::coalesced_group const here = cg::coalesced_threads();
  sizes[threadIdx.x] = static_cast<int>(here.size());
  ranks[threadIdx.x] = static_cast<int>(here.thread_rank());
  least[threadIdx.x] = cg::reduce(here, static_cast<int>(threadIdx.x), cg::less<int>());
}

TEST(CooperativeGroups, CountTheLanesOfABranch) {
  std::vector<int> sizes(32, -1), ranks(32, -1), least(32, -1);
  EXPECT_EQ(run(meet_in_a_branch, dim3(1), dim3(32), sizes.data(), ranks.data(), least.data()).why,
            grid_end::none);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(sizes[i], i % 3 == 0 ? 11 : -1);
    EXPECT_EQ(ranks[i], i % 3 == 0 ? int(i) / 3 : -1);
    EXPECT_EQ(least[i], i % 3 == 0 ? 0 : -1);
  }
}

void part_in_two(int* sizes) {
  auto const tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::coalesced_group const part = cg::binary_partition(tile, threadIdx.x % 4 == 0);
  sizes[threadIdx.x] = cg::reduce(part, 1, cg::plus<int>());
}

TEST(CooperativeGroups, PartATileByAPredicate) {
  std::vector<int> sizes(32);
  EXPECT_EQ(run(part_in_two, dim3(1), dim3(32), sizes.data()).why, grid_end::none);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(sizes[i], i % 4 == 0 ? 8 : 24);
}

void number_threads(int* numbers) {
  cg::thread_block const block = cg::this_thread_block();
  cg::grid_group const grid = cg::this_grid();
  numbers[grid.thread_rank()] =
      static_cast<int>(grid.block_rank() * block.size() + block.thread_rank());
  block.sync();
}

TEST(CooperativeGroups, NumberBlocksAndThreadsOfAGrid) {
  std::vector<int> numbers(48, -1);
  EXPECT_EQ(run(number_threads, dim3(3, 2), dim3(4, 2), numbers.data()).why, grid_end::none);
  for (int i = 0; i < 48; ++i) EXPECT_EQ(numbers[std::size_t(i)], i);
}

} // namespace
