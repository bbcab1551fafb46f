// Programs that allocate for ever.
#include <gtest/gtest.h>

#include "memory/under_thread_sanitizer.hpp"
#include "thread_race_test.hpp"

namespace mockgpu::tests {
namespace {

TEST(Growth, AProgramMayAllocateMoreInAllThanThereIsAddressSpace) {
  if (MOCKGPU_UNDER_THREAD_SANITIZER) GTEST_SKIP() << "the sanitizer leaves too little of it";
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

/// Many threads count in many places, in sequential consistency: each knows of ever more others.
class GrowthOfOrders : public thread_race_test {
protected:
  static constexpr unsigned places = 1000, updates = 80;
  static unsigned place(device_thread const& self, unsigned update) {
    return ((self.block * 64 + self.thread) * updates + update) * 2654435761u % places;
  }
};

TEST_F(GrowthOfOrders, AtomicsThatCannotRaceAreNotAskedForTheirOrder) {
  run_threads(4, 64, [&](device_thread const& self) {
    for (unsigned i = 0; i < updates; ++i)
      self.add_ordered(data_ + place(self, i), 1, __ATOMIC_SEQ_CST);
  });
  expect_silence();
  EXPECT_GE(current_statistics().accesses, 4u * 64 * updates);
}

// twin: AtomicsThatCannotRaceAreNotAskedForTheirOrder
TEST_F(GrowthOfOrders, APlainUpdateAmongThemRaces) {
  run_threads(4, 64, [&](device_thread const& self) {
    for (unsigned i = 0; i < updates; ++i)
      self.add_ordered(data_ + place(self, i), 1, __ATOMIC_SEQ_CST);
    if (self.block == 1 && self.thread == 0) self.store(data_ + place(self, 7), 5);
  });
  expect_race();
}

} // namespace
} // namespace mockgpu::tests
