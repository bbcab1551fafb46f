// How far atomics and fences reach, and in which direction (rule D10), as twins.
#include "thread_race_test.hpp"

namespace mockgpu::tests {
namespace {

using thread_order::fence_scope;

class Scopes : public thread_race_test {};

TEST_F(Scopes, AtomicsOfABlockServeItsThreads) {
  run_threads(3, 8, [&](device_thread const& self) {
    self.add_in_block(data_ + self.block, 1);
    self.add(data_ + self.block, 1);
    self.add_in_block(data_ + self.block, 1);
  });
  expect_silence();
}

TEST_F(Scopes, AtomicsOfABlockDoNotServeOthers) { // twin: AtomicsOfABlockServeItsThreads
  run_threads(3, 8, [&](device_thread const& self) { self.add_in_block(data_, 1); });
  expect_race("atomic-scope");
}

TEST_F(Scopes, OfBothAtomicsMatter) {
  run_threads(2, 8, [&](device_thread const& self) {
    if (self.block == 0)
      self.add(data_, 1);
    else
      self.add_in_block(data_, 1);
  });
  expect_race("atomic-scope");
}

TEST_F(Scopes, OfABlockAreEnoughWhereAnotherAtomicOrdersTheBlocks) { // twin: OfBothAtomicsMatter
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.add_in_block(data_, 1);
    self.fence();
    self.add(data_ + 100, 1);
    self.fence();
    if (self.block == 1) self.add_in_block(data_, 1);
  });
  expect_silence();
}

TEST_F(Scopes, OfTheReadersFenceMatters) {
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    self.fence();
    self.add(data_ + 100, 1);
    self.fence(self.block == 1 ? fence_scope::block : fence_scope::device);
    if (self.block == 1) self.load(data_);
  });
  expect_race("grid-order");
}

TEST_F(Scopes, OfBlockFencesAreEnoughInABlock) { // twin: OfTheReadersFenceMatters
  run_threads(1, 2, [&](device_thread const& self) {
    if (self.thread == 0) self.store(data_, 1);
    self.fence(fence_scope::block);
    self.add(data_ + 100, 1);
    self.fence(fence_scope::block);
    if (self.thread == 1) self.load(data_);
  });
  expect_silence();
}

TEST_F(Scopes, OfABlockReachOtherBlocksByAThreadThatPassesItOn) {
  run_threads(2, 2, [&](device_thread const& self) {
    bool const first = self.block == 0 && self.thread == 0;
    if (first) self.store(data_, 1);
    self.fence(first ? fence_scope::block : fence_scope::device);
    self.add(data_ + 100, 1);
    if (!first) self.fence();
    if (!first && self.block == 0) self.add(data_ + 101, 1);
    if (self.block == 1) {
      self.add(data_ + 101, 1);
      self.fence();
      self.load(data_);
    }
  });
  expect_silence();
}

/// A value handed from one block to another by a flag: what orders each side.
class Orders : public thread_race_test {
protected:
  void hand_on(int release, int acquire) {
    run_threads(2, 1, [&](device_thread const& self) {
      if (self.block == 0) self.store(data_, 1);
      self.add_ordered(data_ + 100, 1, self.block == 0 ? release : acquire);
      if (self.block == 1) self.load(data_);
    });
  }
};

TEST_F(Orders, ReleaseAndAcquireHandOn) {
  hand_on(__ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
  expect_silence();
}
TEST_F(Orders, OfTheWriterMatters) { // twin: ReleaseAndAcquireHandOn
  hand_on(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE);
  expect_race("grid-order");
}
TEST_F(Orders, OfTheReaderMatters) { // twin: ReleaseAndAcquireHandOn
  hand_on(__ATOMIC_RELEASE, __ATOMIC_RELAXED);
  expect_race("grid-order");
}
TEST_F(Orders, DoNotWorkBackwards) { // twin: ReleaseAndAcquireHandOn
  hand_on(__ATOMIC_ACQUIRE, __ATOMIC_RELEASE);
  expect_race("grid-order");
}
TEST_F(Orders, OfBothWaysDoBoth) { // twin: DoNotWorkBackwards
  hand_on(__ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST);
  expect_silence();
}

TEST_F(Orders, OfAFenceHaveADirection) {
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    if (self.block == 0) self.fence(fence_scope::device, {.acquires = true});
    self.add(data_ + 100, 1);
    self.fence();
    if (self.block == 1) self.load(data_);
  });
  expect_race("grid-order");
}
TEST_F(Orders, OfFencesMeetThoseOfAtomics) { // twin: OfAFenceHaveADirection
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    if (self.block == 0) self.fence(fence_scope::device, {.releases = true});
    self.add_ordered(data_ + 100, 1, self.block == 0 ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
    if (self.block == 1) self.load(data_);
  });
  expect_silence();
}

TEST_F(Orders, OfAnAtomicConcernItsOwnAddress) { // twin: OfFencesMeetThoseOfAtomics
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    self.add_ordered(data_ + 101, 1, __ATOMIC_ACQ_REL * int(self.block == 0));
    self.add_ordered(data_ + 100, 1, __ATOMIC_ACQ_REL * int(self.block == 1));
    if (self.block == 1) self.load(data_);
  });
  expect_race("grid-order");
}

TEST_F(Orders, PassOnWhatWasLearnt) {
  run_threads(3, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    if (self.block <= 1) self.add_ordered(data_ + 100, 1, __ATOMIC_ACQ_REL);
    if (self.block >= 1) self.add_ordered(data_ + 101, 1, __ATOMIC_ACQ_REL);
    if (self.block == 2) self.load(data_);
  });
  expect_silence();
}

TEST_F(Orders, InGlobalMemoryReachOtherBlocks) {
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    self.put(data_ + 100, 0);
    self.add_ordered(data_ + 100, 1, __ATOMIC_ACQ_REL);
    if (self.block == 1) self.load(data_);
  });
  expect_silence();
}
TEST_F(Orders, InSharedMemoryStayInTheBlock) { // twin: InGlobalMemoryReachOtherBlocks
  alignas(8) static int shared[2];
  run_threads(2, 1, [&](device_thread const& self) {
    thread_order::shared_memory(shared, sizeof shared);
    if (self.block == 0) self.store(data_, 1);
    self.put(shared, 0);
    self.add_ordered(shared, 1, __ATOMIC_ACQ_REL);
    if (self.block == 1) self.load(data_);
  });
  expect_race("grid-order");
}

/// What a fence before an atomic access makes known to whoever finds what that wrote.
class Published : public thread_race_test {
protected:
  template <class Announce> void read_behind(Announce const& announce) {
    run_threads(2, 1, [&](device_thread const& self) {
      if (self.block == 0) {
        self.store(data_, 1);
        self.fence();
        announce(self);
      } else {
        self.get(data_ + 100, __ATOMIC_ACQUIRE);
        self.load(data_);
      }
    });
  }
};

TEST_F(Published, ByAnUpdateIsWhatTheFenceReleased) {
  read_behind([&](device_thread const& self) { self.add(data_ + 100, 0); });
  expect_silence();
}
TEST_F(Published, ByALoadIsNothing) { // twin: ByAnUpdateIsWhatTheFenceReleased
  read_behind([&](device_thread const& self) { self.get(data_ + 100); });
  expect_race("grid-order");
}
TEST_F(Published, ByAnExchangeThatSucceedsIsWhatTheFenceReleased) {
  read_behind([&](device_thread const& self) { self.exchange(data_ + 100, 0, 1); });
  expect_silence();
}
// twin: ByAnExchangeThatSucceedsIsWhatTheFenceReleased
TEST_F(Published, ByAnExchangeThatFailsIsNothing) {
  read_behind([&](device_thread const& self) { self.exchange(data_ + 100, 7, 1); });
  expect_race("grid-order");
}

/// A compare-and-swap that fails has a memory order of its own.
class FailedExchange : public thread_race_test {
protected:
  void hand_on(int order, int failure_order) {
    run_threads(2, 1, [&](device_thread const& self) {
      if (self.block == 0) {
        self.store(data_, 1);
        self.add_ordered(data_ + 100, 1, __ATOMIC_RELEASE);
      } else {
        self.exchange(data_ + 100, 7, 8, order, failure_order);
        self.load(data_);
      }
    });
  }
};

TEST_F(FailedExchange, LearnsByTheOrderOfItsFailure) {
  hand_on(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE);
  expect_silence();
}
TEST_F(FailedExchange, LearnsNothingByTheOrderOfItsSuccess) { // twin: LearnsByTheOrderOfItsFailure
  hand_on(__ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  expect_race("grid-order");
}

TEST(AtomicStores, DefineWhatWasUndefined) {
  scripted_run run(with_threads());
  auto* const data = static_cast<int*>(run.allocate_raw(64).base);
  alignas(8) static int shared[2];
  run_threads(2, 4, [&](device_thread const& self) {
    thread_order::shared_memory(shared, sizeof shared);
    self.put(data, 1);
    self.put(shared, 1);
    self.add(data, 1);
    self.add(shared, 1);
  });
  for (finding const& one : run.finish()) ADD_FAILURE() << to_text(one);
  EXPECT_GE(current_statistics().accesses, 32u);
}

TEST(AtomicStores, AreNotUpdates) { // twin: DefineWhatWasUndefined
  scripted_run run(with_threads());
  auto* const data = static_cast<int*>(run.allocate_raw(64).base);
  run_threads(1, 4, [&](device_thread const& self) { self.add(data, 1); });
  auto const all = run.finish();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "undefined-read");
}

} // namespace
} // namespace mockgpu::tests
