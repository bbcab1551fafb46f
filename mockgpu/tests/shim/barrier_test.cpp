#include "grid_call.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using mockgpu::grid_end;
using mockgpu::tests::grid_shape;
using mockgpu::tests::run;
using ::testing::Each;
using ::testing::Ge;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void count(int* out) {
  int const t = static_cast<int>(threadIdx.x);
  int const even = __syncthreads_count(t % 2 == 0);
  int const all = __syncthreads_and(t < 40), any = __syncthreads_or(t == 39);
  int const none = __syncthreads_or(0);
  out[t] = even * 8 + all * 4 + any * 2 + none;
}

TEST(Barrier, CountsPredicates) {
  std::vector<int> out(40);
  auto const said = run(count, dim3(1), dim3(40), out.data());
  EXPECT_THAT(out, Each(20 * 8 + 4 + 2));
  EXPECT_THAT(said.divergences, IsEmpty());
}

void guard(int* out, int count) {
  if (static_cast<int>(threadIdx.x) >= count) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

TEST(Barrier, DoesNotWaitForThreadsThatHaveEnded) { // twin: ReportsThreadsAtTwoBarriers
  std::vector<int> out(40);
  auto const said = run(guard, dim3(1), dim3(40), out.data(), 30);
  EXPECT_THAT(said.divergences, IsEmpty());
  EXPECT_EQ(out[29], 1);
}

void two_barriers(int* out) {
  if (threadIdx.x < 8) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}

TEST(Barrier, ReportsThreadsAtTwoBarriers) {
  std::vector<int> out(32);
  auto const said = run(two_barriers, dim3(2), dim3(32), out.data());
  EXPECT_THAT(said.divergences,
              ElementsAre(HasSubstr("block (0,0,0): 8 threads, the first (0,0,0), wait at the "
                                    "block's barrier at barrier_test.cpp:")));
}

// A barrier on one side of a branch only: the others wait at the next one.
void skipped_barrier(int* out) {
  if (threadIdx.x < 8) __syncthreads();
  out[threadIdx.x] = 1;
  __syncthreads();
}

TEST(Barrier, ReportsABarrierThatSomeThreadsSkip) {
  std::vector<int> out(32);
  auto const said = run(skipped_barrier, dim3(1), dim3(32), out.data());
  EXPECT_EQ(said.divergences.size(), 1u);
  EXPECT_EQ(out[0], 1);
}

void uneven_loop(int* out) {
  for (unsigned i = 0; i < 3; ++i) {
    if (threadIdx.x % 2 == 0) ++out[threadIdx.x];
    __syncthreads();
    if (threadIdx.x % 2 == 1) ++out[threadIdx.x];
  }
}

// The optimiser may duplicate the call behind the condition; it is still one barrier.
TEST(Barrier, IsOneHoweverOftenTheCompilerWritesIt) {
  std::vector<int> out(64);
  auto const said = run(uneven_loop, dim3(1), dim3(64), out.data());
  EXPECT_THAT(out, Each(3));
  EXPECT_THAT(said.divergences, IsEmpty());
}

void over_the_grid(int* cells, int* errors) {
  unsigned const me = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  for (int round = 1; round <= 3; ++round) {
    cells[me] = round;
    mockgpu_grid_barrier(__builtin_FILE(), __builtin_LINE());
    if (cells[(me + blockDim.x) % count] != round) ++*errors;
    mockgpu_grid_barrier(__builtin_FILE(), __builtin_LINE());
  }
}

TEST(Barrier, HoldsTheWholeGridOfACooperativeLaunch) {
  RecordProperty("rule", "grid-barrier");
  std::vector<int> cells(6 * 50);
  int errors = 0;
  auto const said =
      run(over_the_grid, grid_shape{.grid = dim3(6), .block = dim3(50), .cooperative = true},
          cells.data(), &errors);
  EXPECT_EQ(errors, 0);
  EXPECT_THAT(cells, Each(3));
  EXPECT_THAT(said.divergences, IsEmpty());
}

TEST(Barrier, OfTheGridEndsALaunchThatIsNotCooperative) {
  std::vector<int> cells(6 * 50);
  int errors = 0;
  auto const said = run(over_the_grid, dim3(6), dim3(50), cells.data(), &errors);
  EXPECT_EQ(said.why, grid_end::trap);
  EXPECT_THAT(said.end_message, HasSubstr("in a launch that is not cooperative"));
}

void leave_some(int* out) {
  if (blockIdx.x == 1) return;
  mockgpu_grid_barrier(__builtin_FILE(), __builtin_LINE());
  out[threadIdx.x] = 1;
}

TEST(Barrier, OfTheGridReportsThreadsThatHaveEnded) { // twin: HoldsTheWholeGridOfACooperativeLaunch
  std::vector<int> out(8);
  auto const said = run(
      leave_some, grid_shape{.grid = dim3(3), .block = dim3(8), .cooperative = true}, out.data());
  EXPECT_THAT(said.divergences,
              ElementsAre("16 threads wait at a barrier of the grid that the other 8 do not reach: "
                          "they have ended"));
}

void wait_for_next_block(int volatile* flags) {
  if (blockIdx.x + 1 < gridDim.x)
    while (flags[blockIdx.x + 1] == 0) mockgpu_yield();
  if (threadIdx.x == 0) flags[blockIdx.x] = 1;
}

TEST(Polling, ProceedsWhereALaterBlockWrites) {
  std::vector<int> flags(10);
  auto const said =
      run(wait_for_next_block, dim3(10), dim3(4), static_cast<int volatile*>(flags.data()));
  EXPECT_EQ(said.why, grid_end::none);
  EXPECT_THAT(flags, Each(1));
}

void wait_for_nobody(int volatile* flag) {
  while (*flag == 0) mockgpu_yield();
}

TEST(Polling, EndsWhereNobodyWrites) {      // twin: ProceedsWhereALaterBlockWrites
  for (int round = 0; round < 2; ++round) { // the stacks are used again
    int flag = 0;
    auto const said = run(wait_for_nobody, dim3(2), dim3(3), static_cast<int volatile*>(&flag));
    EXPECT_EQ(said.why, grid_end::step_limit);
    EXPECT_EQ(said.end_message,
              "block (0,0,0), thread (0,0,0) and 5 more poll memory that nobody writes; limit "
              "4194304 polls");
  }
}

void pause_often(long long* slept) {
  long long const begin = mockgpu_clock();
  for (int i = 0; i < 600'000; ++i) mockgpu_sleep(10);
  slept[threadIdx.x] = mockgpu_clock() - begin;
}

TEST(Polling, IsNotWhatAThreadDoesThatCountsItsPauses) { // twin: EndsWhereSleepersWaitForNobody
  std::vector<long long> slept(8);
  auto const said = run(pause_often, dim3(1), dim3(8), slept.data());
  EXPECT_EQ(said.why, grid_end::none) << said.end_message;
  EXPECT_THAT(slept, Each(Ge(6'000'000)));
}

void sleep_for_nobody(int volatile* flag) {
  while (*flag == 0) mockgpu_sleep(10);
}

TEST(Polling, EndsWhereSleepersWaitForNobody) {
  int flag = 0;
  auto const said = run(sleep_for_nobody, dim3(1), dim3(1), static_cast<int volatile*>(&flag));
  EXPECT_EQ(said.why, grid_end::step_limit);
  EXPECT_EQ(said.end_message, "block (0,0,0), thread (0,0,0) polls memory that nobody writes; "
                              "limit 4194304 polls");
}

__attribute__((noinline)) void meet_for_ever(int volatile* go_on) {
  while (*go_on != 0) mockgpu_block_barrier(0, __FILE__, __LINE__);
}

TEST(BlockBarrier, EndsBlocksThatMeetForEver) {
  int go_on = 1;
  auto const said = run(meet_for_ever, dim3(1), dim3(2), static_cast<int volatile*>(&go_on));
  EXPECT_EQ(said.why, grid_end::step_limit);
  EXPECT_EQ(said.end_message,
            "block (0,0,0), thread (0,0,0) and the others of its block meet at barriers without an "
            "end; limit 524288 (MOCKGPU_STEP_LIMIT / 256), in meetings while no thread ends");
}

} // namespace
