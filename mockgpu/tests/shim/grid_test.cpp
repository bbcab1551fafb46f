#include "grid_call.hpp"

#include "kernel/stacks.hpp"
#include "order/access.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

// What the watchdog counts by; here nobody checks accesses.
namespace mockgpu {
constinit thread_local access_context* current_context = nullptr;
}

namespace {

using mockgpu::tests::run;

// These kernels are built without hooks: here the grid is tested, not the checker.

void count_threads(int* visits) {
  int const x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int const y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  int const z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
  int const width = static_cast<int>(gridDim.x * blockDim.x);
  int const height = static_cast<int>(gridDim.y * blockDim.y);
  ++visits[(z * height + y) * width + x];
}

/// Threads of even blocks meet twice; every seventh thread of them leaves before the second time.
void meet(int* phase_sums, int* errors) {
  int* const mine = phase_sums + 2 * blockIdx.x;
  if (blockIdx.x % 2 == 1) {
    ++mine[0];
    return;
  }
  ++mine[0];
  __syncthreads();
  if (mine[0] != static_cast<int>(blockDim.x * blockDim.y)) ++*errors;
  if (threadIdx.x % 7 == 6) return;
  ++mine[1];
  __syncthreads();
  if (mine[1] == 0) ++*errors;
}

void note_stack(bool* on_own_stack, char tag, double value, double* sum) {
  int local = 0;
  *on_own_stack = mockgpu::on_kernel_stack(reinterpret_cast<std::uintptr_t>(&local)) && tag == 't';
  *sum += value;
}

TEST(Grid, RunsEveryThreadOnce) {
  std::vector<int> visits(6 * 4 * 4);
  run(count_threads, dim3(3, 2, 1), dim3(2, 2, 4), visits.data());
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
}

void note_order(int* next, int* started) {
  started[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = (*next)++;
  if (blockIdx.x == 1) __syncthreads(); // some blocks leave the fast loop
}

TEST(Grid, StartsEachBlockOnceInTheOrderOfTheCall) {
  RecordProperty("rule", "grid-order");
  std::vector<int> started(12);
  int next = 0;
  run(note_order, {.grid = dim3(3, 2, 2), .block = dim3(1)}, &next, started.data());
  EXPECT_EQ(started, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  next = 0;
  run(note_order, {.grid = dim3(3, 2, 2), .block = dim3(1), .order = {.first = 13}}, &next,
      started.data());
  EXPECT_EQ(started, (std::vector<int>{11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  next = 0;
  run(note_order,
      {.grid = dim3(3, 2, 2), .block = dim3(1), .order = {.first = 3, .downwards = true}}, &next,
      started.data());
  EXPECT_EQ(started, (std::vector<int>{3, 2, 1, 0, 11, 10, 9, 8, 7, 6, 5, 4}));
}

void wait_for_a_time(long long ticks, long long* looks) {
  long long const begin = clock64();
  while (clock64() - begin < ticks) ++*looks;
}

TEST(Grid, KernelsThatWaitForATimeEnd) {
  long long looks = 0;
  run(wait_for_a_time, dim3(1), dim3(1), 6'000'000'000LL, &looks); // some seconds
  EXPECT_GT(looks, 1000);
  EXPECT_LT(looks, 1'000'000);
  long long fewer = 0;
  run(wait_for_a_time, dim3(1), dim3(1), 6'400LL, &fewer);
  EXPECT_NEAR(double(fewer), 100, 2) << "short times are told apart";
}

TEST(Grid, BarriersHoldWhereOnlySomeBlocksAndThreadsMeet) {
  RecordProperty("rule", "block-barrier");
  constexpr int blocks = 5, width = 20, height = 3;
  std::vector<int> sums(2 * blocks);
  int errors = 0;
  run(meet, dim3(blocks), dim3(width, height), sums.data(), &errors);
  EXPECT_EQ(errors, 0);
  for (int b = 0; b < blocks; ++b) {
    EXPECT_EQ(sums[static_cast<std::size_t>(2 * b)], width * height);
    EXPECT_EQ(sums[static_cast<std::size_t>(2 * b + 1)], b % 2 == 1 ? 0 : 18 * height);
  }
}

TEST(Grid, RunsABlockOfAThousandWaitingThreads) {
  std::vector<int> sums(2);
  int errors = 0;
  for (int round = 0; round < 2; ++round) { // the stacks are used again
    sums.assign(2, 0);
    run(meet, dim3(1), dim3(32, 32), sums.data(), &errors);
    EXPECT_EQ(sums[0], 1024);
  }
  EXPECT_EQ(errors, 0);
}

TEST(Grid, PassesArgumentsOfAllSizesOnAStackOfItsOwn) {
  bool on_own_stack = false;
  double sum = 0;
  run(note_stack, dim3(2), dim3(3), &on_own_stack, 't', 0.5, &sum);
  EXPECT_TRUE(on_own_stack);
  EXPECT_EQ(sum, 3.0);
  int local = 0;
  EXPECT_FALSE(mockgpu::on_kernel_stack(reinterpret_cast<std::uintptr_t>(&local)));
}

std::string name_of(void (*entry)(), char const* text) {
  mockgpu_launch launch{};
  launch.entry = entry;
  launch.text = text;
  return mockgpu::kernel_name(launch);
}

template <int> void unnamed() {}

TEST(KernelName, IsTheFirstArgumentAsWrittenWhereThereIsNoSymbol) {
  EXPECT_EQ(name_of(&unnamed<1>, "(void*)axpy, dim3(1, 1), dim3(32), args, 0, s"), "axpy");
  EXPECT_EQ(name_of(&unnamed<2>, "(const void *) &scale<double, 2>, 1, 2, args"),
            "scale<double, 2>");
  EXPECT_EQ(name_of(&unnamed<3>, "space::kernel, 1, 2, args"), "space::kernel");
}

TEST(KernelName, FallsBackToTheAddress) {
  EXPECT_TRUE(name_of(&unnamed<4>, "table[i], 1, 2, args").starts_with("kernel at 0x"));
  EXPECT_TRUE(name_of(&unnamed<5>, nullptr).starts_with("kernel at 0x"));
}

} // namespace
