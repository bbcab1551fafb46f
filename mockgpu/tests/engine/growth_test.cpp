// Programs that allocate for ever.
#include <gtest/gtest.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

TEST(Growth, AProgramMayAllocateMoreInAllThanThereIsAddressSpace) {
  scripted_run run;
  auto const on = run.add_stream("on");
  constexpr std::size_t large = std::size_t{16} << 30;
  for (int i = 0; i < 200; ++i) { // three TiB, and as much twice in gaps
    auto const block = run.allocate_async(large, on);
    ASSERT_NE(block.base, nullptr) << "block " << i;
    run.write(on, block.part(0, 64));
    EXPECT_EQ(cudaFreeAsync(block.base, on), cudaSuccess);
  }
  EXPECT_TRUE(run.finish().empty());
}

TEST(Growth, LiveMemoryStaysWhereItIsHoweverMuchIsAllocated) {
  scripted_run run;
  auto const on = run.add_stream("on");
  std::vector<region> live;
  for (int i = 0; i < 60000; ++i) {
    auto const block = run.allocate_async(256, on);
    ASSERT_NE(block.base, nullptr);
    if (i % 10000 == 0) {
      run.write(on, block);
      live.push_back(block);
    } else {
      EXPECT_EQ(cudaFreeAsync(block.base, on), cudaSuccess);
    }
  }
  for (region const& one : live) run.read(on, one); // defined, as they were left
  EXPECT_TRUE(run.finish().empty());
  EXPECT_GE(current_statistics().accesses, 2 * live.size());
}

TEST(Growth, AStalePointerIsNamedLongAfterItsBlockWasFreed) {
  scripted_run run;
  auto const on = run.add_stream("on");
  auto const stale = run.allocate_async(256, on);
  run.write(on, stale);
  EXPECT_EQ(cudaFreeAsync(stale.base, on), cudaSuccess);
  for (int i = 0; i < 10000; ++i) {
    auto const block = run.allocate_async(256, on);
    EXPECT_EQ(cudaFreeAsync(block.base, on), cudaSuccess);
  }
  run.write(on, stale);
  auto const found = run.finish();
  ASSERT_EQ(kinds(found), std::vector<std::string>{"use-after-free"});
  EXPECT_EQ(found.front().memory.generation, 1u);
}

TEST(Growth, FreesThatWaitForQueuedWorkAreNotLookedAtAgainAndAgain) {
  options chosen;
  chosen.schedule = schedule_kind::lazy;
  scripted_run run(chosen);
  auto const on = run.add_stream("on");
  auto const x = run.allocate(64);
  run.write(on, x); // stays queued until the end
  for (int i = 0; i < 20000; ++i) {
    void* block = nullptr;
    ASSERT_EQ(cudaMalloc(&block, 64), cudaSuccess);
    ASSERT_EQ(cudaFree(block), cudaSuccess);
  }
  run.synchronize(on);
  EXPECT_TRUE(run.finish().empty());
}

} // namespace
} // namespace mockgpu::tests
