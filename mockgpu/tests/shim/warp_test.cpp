#include "grid_call.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Kernels without hooks: the lanes are tested, not the checker.

namespace {

using mockgpu::tests::grid_shape;
using mockgpu::tests::run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr unsigned all = 0xFFFFFFFFu;

void sum_by_shuffles(double* sums) {
  double sum = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
}

TEST(Warp, SumsByShuffles) {
  std::vector<double> sums(3);
  auto const said = run(sum_by_shuffles, dim3(1), dim3(96), sums.data());
  EXPECT_THAT(sums, ElementsAre(31 * 16.0, 31 * 16 + 32 * 32.0, 31 * 16 + 64 * 32.0));
  EXPECT_THAT(said.divergences, IsEmpty());
}

void shuffle_all_ways(int* out) {
  int const t = static_cast<int>(threadIdx.x);
  out[t * 5 + 0] = __shfl_sync(all, t, 3, 8);
  out[t * 5 + 1] = __shfl_up_sync(all, t, 2u, 8);
  out[t * 5 + 2] = __shfl_down_sync(all, t, 2u, 8);
  out[t * 5 + 3] = __shfl_xor_sync(all, t, 1);
  struct triple {
    char a;
    double b[3];
  } const three = __shfl_sync(all, triple{static_cast<char>(t), {1.0 * t, 2.0 * t, 3.0 * t}}, t ^ 4);
  out[t * 5 + 4] = three.a + static_cast<int>(three.b[2]);
}

TEST(Warp, ShufflesWithinGroupsAndValuesOfAnySize) {
  std::vector<int> out(32 * 5);
  auto const said = run(shuffle_all_ways, dim3(1), dim3(32), out.data());
  EXPECT_THAT(said.divergences, IsEmpty());
  for (int t = 0; t < 32; ++t) {
    int const in_group = t % 8, group = t - in_group;
    auto const at = [&](int i) { return out[static_cast<std::size_t>(t * 5 + i)]; };
    EXPECT_EQ(at(0), group + 3) << t;
    EXPECT_EQ(at(1), in_group < 2 ? t : t - 2) << t;
    EXPECT_EQ(at(2), in_group > 5 ? t : t + 2) << t;
    EXPECT_EQ(at(3), t ^ 1) << t;
    EXPECT_EQ(at(4), 4 * (t ^ 4)) << t;
  }
}

void vote(unsigned* out) {
  unsigned const t = threadIdx.x;
  out[t * 7 + 0] = __ballot_sync(all, t % 2 == 0);
  out[t * 7 + 1] = static_cast<unsigned>(__any_sync(all, t == 5));
  out[t * 7 + 2] = static_cast<unsigned>(__all_sync(all, t != 5));
  out[t * 7 + 3] = __match_any_sync(all, t / 8);
  int same = 0;
  out[t * 7 + 4] = __match_all_sync(all, 2.5, &same) + static_cast<unsigned>(same);
  out[t * 7 + 5] = static_cast<unsigned>(__reduce_min_sync(all, -static_cast<int>(t)));
  out[t * 7 + 6] = __reduce_add_sync(all, t);
}

TEST(Warp, VotesMatchesAndReduces) {
  std::vector<unsigned> out(20 * 7);
  // Lanes that do not exist need not come, though the mask names them.
  auto const said = run(vote, dim3(1), dim3(20), out.data());
  EXPECT_THAT(said.divergences, IsEmpty());
  for (unsigned t = 0; t < 20; ++t) {
    auto const at = [&](unsigned i) { return out[t * 7 + i]; };
    EXPECT_EQ(at(0), 0x55555u);
    EXPECT_EQ(at(1), 1u);
    EXPECT_EQ(at(2), 0u);
    EXPECT_EQ(at(3), t < 16 ? 0xFFu << t / 8 * 8 : 0xF0000u);
    EXPECT_EQ(at(4), 0x100000u);
    EXPECT_EQ(at(5), static_cast<unsigned>(-19));
    EXPECT_EQ(at(6), 190u);
  }
}

void branch(unsigned* out) {
  unsigned const t = threadIdx.x;
  unsigned mine = 0;
  if (t < 10)
    mine = __activemask();
  else if (t % 2 == 0)
    mine = __ballot_sync(0x55555400u, 1);
  __syncwarp();
  out[t] = mine + (__activemask() == all ? 1 : 0);
}

TEST(Warp, KnowsTheLanesOfABranch) {
  std::vector<unsigned> out(32);
  auto const said = run(branch, dim3(1), dim3(32), out.data());
  EXPECT_THAT(said.divergences, IsEmpty());
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], (t < 10 ? 0x3FFu : t % 2 == 0 ? 0x55555400u : 0u) + 1) << t;
}

void wide(unsigned long long* out) {
  out[threadIdx.x] = mockgpu_warp(mockgpu_warp_ballot, 0, threadIdx.x % 3 == 0, 0, "", 1);
}

TEST(Warp, HasSixtyFourLanesWhereTheDialectSaysSo) {
  std::vector<unsigned long long> out(70);
  run(wide, grid_shape{.grid = dim3(1), .block = dim3(70), .warp_size = 64}, out.data());
  EXPECT_EQ(out[0], 0x9249249249249249u);
  EXPECT_EQ(out[69], 0x24u) << "lanes 64 to 69: threads 66 and 69";
}

void early_exit(int* out) {
  if (threadIdx.x >= 24) return;
  __syncwarp();
  out[threadIdx.x] = static_cast<int>(__ballot_sync(all, 1));
}

TEST(Warp, DoesNotWaitForLanesThatHaveEnded) {
  std::vector<int> out(32, -1);
  auto const said = run(early_exit, dim3(1), dim3(32), out.data());
  EXPECT_THAT(said.divergences, IsEmpty());
  EXPECT_EQ(out[23], 0xFFFFFF);
  EXPECT_EQ(out[24], -1);
}

void missing_lanes(int* out) {
  if (threadIdx.x < 16) {
    __syncwarp(all);
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}

TEST(Warp, ReportsLanesThatAreNamedButWaitElsewhere) { // twin: DoesNotWaitForLanesThatHaveEnded
  RecordProperty("rule", "warp-barrier");
  std::vector<int> out(32);
  auto const said = run(missing_lanes, dim3(1), dim3(32), out.data());
  EXPECT_THAT(said.divergences,
              ElementsAre(AllOf(HasSubstr("block (0,0,0): 16 threads, the first (0,0,0), wait for "
                                          "lanes of its warp at warp_test.cpp:"),
                                HasSubstr("; 16 threads, the first (16,0,0), wait at the block's "
                                          "barrier at warp_test.cpp:"))));
  EXPECT_EQ(out[0], 1) << "the grid has gone on";
  EXPECT_EQ(out[31], 2);
}

void foreign_mask(int* out) {
  __syncwarp(threadIdx.x == 3 ? 0x7u : 0xFFFFFFF7u);
  out[threadIdx.x] = 1;
}

TEST(Warp, ReportsAMaskWithoutTheLaneItself) {
  std::vector<int> out(32);
  auto const said = run(foreign_mask, dim3(1), dim3(32), out.data());
  EXPECT_THAT(said.divergences, ElementsAre(HasSubstr("its mask 0x7 does not name its own lane 3")));
  EXPECT_EQ(out[3], 1);
}

} // namespace
