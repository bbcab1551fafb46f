// The shared memory of a block: what barriers and warps order in it, and what it holds at first.
#include "thread_script.hpp"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mockgpu::tests {
namespace {

class SharedMemory : public ::testing::Test {
protected:
  scripted_run run_{with_threads()};
  int* const data_ = static_cast<int*>(run_.allocate(4096).base);
  alignas(8) int tile_[64] = {};

  /// Both are given to the body: the block's shared memory, and device memory.
  void run(unsigned blocks, unsigned threads, std::function<void(device_thread const&)> body) {
    run_threads(blocks, threads, [&](device_thread const& self) {
      thread_order::shared_memory(tile_, sizeof tile_);
      body(self);
    });
  }
  std::vector<finding> finish() {
    EXPECT_GT(current_statistics().accesses, 0u);
    return run_.finish();
  }
};

TEST_F(SharedMemory, IsOrderedByBarriers) {
  run(3, 32, [&](device_thread const& self) {
    for (int round = 0; round < 2; ++round) {
      self.store(tile_ + self.thread, int(self.block));
      self.barrier();
      self.load(tile_ + (self.thread + 1) % 32);
      self.barrier();
    }
  });
  for (finding const& one : finish()) ADD_FAILURE() << to_text(one);
}

TEST_F(SharedMemory, RacesWithoutABarrier) { // twin: IsOrderedByBarriers
  run(3, 32, [&](device_thread const& self) {
    for (int round = 0; round < 2; ++round) {
      self.store(tile_ + self.thread, int(self.block) + round);
      self.barrier();
      self.load(tile_ + (self.thread + 1) % 32); // the next round overwrites it
    }
  });
  auto const all = finish();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "thread-race");
  EXPECT_EQ(all[0].memory.space, "shared");
  EXPECT_EQ(all[0].rule, "block-order");
}

TEST_F(SharedMemory, ThatIsReadBeforeAnotherThreadWritesItIsARaceAlone) {
  run(2, 8, [&](device_thread const& self) {
    if (self.thread == 0) // runs before the writers
      for (int i = 1; i < 10; ++i) self.load(tile_ + i);
    self.store(tile_ + self.thread, 1);
  });
  auto const all = finish();
  EXPECT_EQ(of_kind(all, "thread-race").size(), 1u);
  auto const undefined = of_kind(all, "undefined-read"); // of what nobody writes
  ASSERT_EQ(undefined.size(), 1u);
  EXPECT_EQ(undefined[0].ranges, (std::vector<byte_range>{{32, 40}}));
}

TEST_F(SharedMemory, IsUndefinedWhenABlockStarts) {
  RecordProperty("rule", "shared-is-undefined");
  run(2, 4, [&](device_thread const& self) {
    if (self.block == 0) self.store(tile_ + self.thread, 1);
    if (self.block == 1) self.load(tile_ + self.thread);
  });
  auto const all = finish();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "undefined-read");
  EXPECT_EQ(all[0].second.thread, "block (1,0,0), thread (0,0,0)");
  EXPECT_EQ(all[0].ranges, (std::vector<byte_range>{{0, 16}}));
}

TEST_F(SharedMemory, IsDefinedByteByByte) {
  auto* const bytes = reinterpret_cast<char*>(tile_);
  run(2, 4, [&](device_thread const& self) {
    if (self.thread == 0) {
      self.store(bytes + 1, 'a');
      self.load(bytes + 1);
      self.load(bytes + 2);
    }
  });
  auto const all = finish();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "undefined-read");
  EXPECT_EQ(all[0].ranges, (std::vector<byte_range>{{2, 3}}));
}

// struct { char c; double d; }, copied at once.
struct alignas(8) padded {
  char bytes[16];
};

TEST_F(SharedMemory, AcceptsACopyOfAStructureWithItsPadding) {
  auto* const one = reinterpret_cast<char*>(tile_);
  run(1, 1, [&](device_thread const& self) {
    self.store(one, 'a');
    self.store(reinterpret_cast<double*>(one + 8), 1.0);
    self.load(reinterpret_cast<padded*>(one));
  });
  EXPECT_THAT(finish(), testing::IsEmpty());
}

TEST_F(SharedMemory, ReportsAMemberThatNothingHasWritten) { // twin of the above
  auto* const one = reinterpret_cast<char*>(tile_);
  run(1, 1, [&](device_thread const& self) {
    self.store(one, 'a');
    self.load(reinterpret_cast<padded*>(one));
  });
  auto const all = finish();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "undefined-read");
  EXPECT_EQ(all[0].ranges, (std::vector<byte_range>{{8, 16}}));
}

} // namespace
} // namespace mockgpu::tests
