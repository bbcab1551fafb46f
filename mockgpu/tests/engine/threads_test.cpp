// Races between the threads of one kernel (rule D10), as twins: faulty and correct.
#include "thread_race_test.hpp"

#include "mockgpu/abi.h"

namespace mockgpu::tests {
namespace {

class Threads : public thread_race_test {};

TEST_F(Threads, OfDifferentElementsDoNotRace) {
  run_threads(4, 32, [&](device_thread const& self) {
    self.store(data_ + self.block * 32 + self.thread, 1);
    self.load(data_ + self.block * 32 + self.thread);
  });
  expect_silence();
}

TEST_F(Threads, ThatWriteDifferentValuesToOneElementRace) {
  run_threads(1, 8, [&](device_thread const& self) { self.store(data_, int(self.thread) + 1); });
  finding const race = expect_race();
  EXPECT_EQ(race.rule, "block-order");
  EXPECT_EQ(race.first.thread, "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(race.second.thread, "block (0,0,0), thread (1,0,0)");
  EXPECT_EQ(race.first.location.line, unsigned(__LINE__ - 5));
  EXPECT_EQ(race.ranges, (std::vector<byte_range>{{0, 4}}));
  EXPECT_FALSE(race.advice);
  EXPECT_NE(race.edge_words.find("__syncthreads()"), std::string::npos);
}

TEST_F(Threads, ThatWriteTheSameValueAreAdviceWhichIsOffByDefault) {
  run_threads(1, 8, [&](device_thread const& self) { self.store(data_, 7); });
  expect_silence(); // the first of them changes the value, but has nobody to race with yet
}

TEST(ThreadsAdvice, SaysThatAllWriteTheSameValue) {
  options chosen = with_threads();
  chosen.advice = true;
  scripted_run run(chosen);
  auto* const data = static_cast<int*>(run.allocate(64).base);
  run_threads(1, 8, [&](device_thread const& self) { self.store(data, 7); });
  auto const all = of_kind(run.finish(), "thread-race");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].advice);
}

TEST_F(Threads, ThatReadWhatAnotherWritesRaceWhicheverRunsFirst) {
  run_threads(1, 8, [&](device_thread const& self) {
    if (self.thread == 3) self.store(data_ + 1, 5); // before the reader
    if (self.thread == 5) self.load(data_ + 1);
    if (self.thread == 4) self.load(data_ + 2); // before the writer
    if (self.thread == 6) self.store(data_ + 2, 5);
  });
  auto const all = finish();
  ASSERT_EQ(all.size(), 2u);
  for (finding const& one : all) EXPECT_EQ(one.kind, "thread-race");
}

TEST_F(Threads, OfOneBlockAreOrderedByABarrier) {
  RecordProperty("rule", "block-barrier");
  run_threads(2, 8, [&](device_thread const& self) {
    int* const mine = data_ + self.block * 8;
    self.store(mine + self.thread, 1);
    self.barrier();
    self.load(mine + (self.thread + 1) % 8);
    self.barrier();
    self.store(mine + (self.thread + 3) % 8, 2);
  });
  expect_silence();
}

TEST_F(Threads, OfOneBlockRaceWithoutTheBarrier) { // twin: OfOneBlockAreOrderedByABarrier
  run_threads(2, 8, [&](device_thread const& self) {
    int* const mine = data_ + self.block * 8;
    self.store(mine + self.thread, 1);
    self.barrier();
    self.load(mine + (self.thread + 1) % 8);
    self.store(mine + (self.thread + 3) % 8, 2);
  });
  finding const race = expect_race();
  EXPECT_EQ(race.first.location.line, unsigned(__LINE__ - 3));  // of thread 0
  EXPECT_EQ(race.second.location.line, unsigned(__LINE__ - 5)); // of thread 2
  EXPECT_EQ(race.ranges, (std::vector<byte_range>{{0, 64}}));
}

TEST_F(Threads, OfDifferentBlocksAreNotOrderedByABarrier) {
  run_threads(2, 8, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_ + self.thread, 1);
    self.barrier();
    if (self.block == 1) self.load(data_ + self.thread);
  });
  finding const race = expect_race();
  EXPECT_EQ(race.rule, "grid-order");
  EXPECT_EQ(race.first.thread, "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(race.second.thread, "block (1,0,0), thread (0,0,0)");
}

TEST_F(Threads, OfAnotherBlockRaceWithWhatWasReadBehindABarrier) {
  run_threads(2, 8, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_ + self.thread, 1);
    self.barrier();
    if (self.block == 0) self.load(data_ + self.thread); // must not hide the write
    if (self.block == 1) self.load(data_ + self.thread);
  });
  EXPECT_EQ(expect_race().second.location.line, unsigned(__LINE__ - 2));
}

TEST_F(Threads, ManyReadersAreNoRace) {
  run_threads(3, 16, [&](device_thread const& self) {
    for (int i = 0; i < 4; ++i) self.load(data_ + i);
  });
  expect_silence();
}

TEST_F(Threads, AWriterRacesWithAReaderOfManyOfItsBlock) { // twin: ManyReadersAreNoRace
  run_threads(1, 16, [&](device_thread const& self) {
    self.load(data_);
    if (self.thread == 15) self.store(data_, 1);
  });
  expect_race();
}

TEST_F(Threads, AWriterBehindABarrierRacesWithReadersOfOtherBlocksOnly) {
  run_threads(2, 16, [&](device_thread const& self) {
    self.load(data_ + 4 * self.block);
    self.load(data_ + 100);
    self.barrier();
    if (self.thread == 0) self.store(data_ + 4 * self.block, 1);
    if (self.thread == 0 && self.block == 1) self.store(data_ + 100, 1);
  });
  finding const race = expect_race();
  EXPECT_EQ(race.ranges, (std::vector<byte_range>{{400, 404}}));
}

TEST_F(Threads, OfConsecutiveKernelsDoNotRace) {
  for (int i = 0; i < 3; ++i)
    run_threads(2, 8, [&](device_thread const& self) {
      if (self.block == unsigned(i % 2)) self.store(data_ + (self.thread + unsigned(i)) % 8, i);
    });
  expect_silence();
}

TEST_F(Threads, BytesOfOneWordAreDifferentElements) {
  auto* const bytes = static_cast<char*>(x_.base);
  run_threads(2, 30, [&](device_thread const& self) {
    unsigned const i = self.block * 30 + self.thread;
    self.store(bytes + i, char(i));
    self.barrier();
    self.load(bytes + self.block * 30 + (self.thread + 1) % 30);
  });
  expect_silence();
}

TEST_F(Threads, OneByteOfAWordIsNamedExactly) { // twin: BytesOfOneWordAreDifferentElements
  auto* const bytes = static_cast<char*>(x_.base);
  run_threads(1, 3, [&](device_thread const& self) {
    self.store(bytes + (self.thread == 2 ? 1 : self.thread), char(self.thread + 1));
  });
  EXPECT_EQ(expect_race().ranges, (std::vector<byte_range>{{1, 2}}));
}

TEST_F(Threads, AtomicsNeverRaceWithEachOther) {
  RecordProperty("rule", "atomics-do-not-race");
  run_threads(4, 32, [&](device_thread const& self) {
    self.add(data_, 1);
    self.add(data_ + 1 + self.block, 1);
  });
  expect_silence();
}

TEST_F(Threads, AnAtomicRacesWithAPlainAccess) { // twin: AtomicsNeverRaceWithEachOther
  run_threads(4, 32, [&](device_thread const& self) {
    self.add(data_, 1);
    if (self.block == 2 && self.thread == 5) self.load(data_);
  });
  finding const race = expect_race();
  EXPECT_EQ(race.rule, "atomic-and-plain");
}

/// The last block to finish reads what the others wrote.
void last_block(int* results, int* count, bool release, bool acquire, unsigned blocks) {
  run_threads(blocks, 4, [=](device_thread const& self) {
    bool last = false;
    if (self.thread == 0) {
      self.store(results + self.block, int(self.block));
      if (release) self.fence();
      last = self.add(count, 1) == int(blocks) - 1;
      if (acquire) self.fence();
    }
    if (last) {
      for (unsigned i = 0; i < blocks; ++i) self.load(results + i);
      self.store(count, 0);
    }
  });
}

TEST_F(Threads, TheLastBlockReadsWhatFencesPublished) {
  RecordProperty("rule", "fenced-atomics-order");
  last_block(data_, data_ + 100, true, true, 5);
  expect_silence();
}

TEST_F(Threads, TheLastBlockRacesWithoutTheWritersFence) {
  last_block(data_, data_ + 100, false, true, 5);
  auto const all = of_kind(finish(), "thread-race");
  ASSERT_EQ(all.size(), 2u); // the results, and the count
  EXPECT_EQ(all[0].rule, "grid-order");
  EXPECT_NE(all[0].edge_words.find("__threadfence()"), std::string::npos);
}

TEST_F(Threads, TheLastBlockRacesWithoutTheReadersFence) {
  last_block(data_, data_ + 100, true, false, 5);
  EXPECT_EQ(of_kind(finish(), "thread-race").size(), 2u);
}

TEST_F(Threads, ABarrierBehindTheAtomicServesAsTheReadersFence) {
  bool last = false;
  run_threads(5, 4, [&](device_thread const& self) {
    if (self.thread == 0) {
      self.store(data_ + self.block, int(self.block));
      self.fence();
      last = self.add(data_ + 100, 1) == 4;
    }
    self.barrier();
    if (last)
      for (unsigned i = 0; i < 5; ++i) self.load(data_ + i);
  });
  expect_silence();
}

TEST_F(Threads, AFenceByEachThreadBeforeTheBarrierIsPublishedByOneOfThem) {
  bool last = false;
  run_threads(5, 4, [&](device_thread const& self) {
    self.store(data_ + self.block * 4 + self.thread, 1);
    self.fence();
    self.barrier();
    if (self.thread == 0) last = self.add(data_ + 100, 1) == 4;
    self.barrier();
    if (last)
      for (unsigned i = 0; i < 20; ++i) self.load(data_ + i);
  });
  expect_silence();
}

TEST_F(Threads, AFenceOfBlockScopeDoesNotReachOtherBlocks) {
  run_threads(2, 1, [&](device_thread const& self) {
    if (self.block == 0) self.store(data_, 1);
    self.fence(thread_order::fence_scope::block);
    self.add(data_ + 100, 1);
    self.fence(thread_order::fence_scope::block);
    if (self.block == 1) self.load(data_);
  });
  expect_race();
}

TEST_F(Threads, WhatIsWrittenBehindTheFenceIsNotPublished) {
  run_threads(2, 1, [&](device_thread const& self) {
    self.fence();
    if (self.block == 0) self.store(data_, 1);
    self.add(data_ + 100, 1);
    self.fence();
    if (self.block == 1) self.load(data_);
  });
  expect_race();
}

TEST_F(Threads, ALockWithFencesOrdersItsHolders) {
  run_threads(3, 8, [&](device_thread const& self) {
    self.add(data_ + 100, 1); // takes the lock: threads run one after the other
    self.fence();
    self.store(data_, self.load(data_) + 1);
    self.fence();
    self.add(data_ + 100, -1);
  });
  expect_silence();
}

TEST_F(Threads, ALockWithoutFencesOrdersNothing) { // twin: ALockWithFencesOrdersItsHolders
  run_threads(3, 8, [&](device_thread const& self) {
    self.add(data_ + 100, 1);
    self.store(data_, self.load(data_) + 1);
    self.add(data_ + 100, -1);
  });
  EXPECT_FALSE(of_kind(finish(), "thread-race").empty());
}

TEST_F(Threads, AKernelThatIsLaunchedAgainSaysItOnce) {
  for (int i = 0; i < 3; ++i)
    run_threads(1, 8, [&](device_thread const& self) { self.store(data_ + i, int(self.thread)); });
  expect_race();
}

TEST(ThreadsDepth, OperationsOnlyIsSilent) {
  scripted_run run;
  auto* const data = static_cast<int*>(run.allocate(64).base);
  run_threads(1, 8, [&](device_thread const& self) { self.store(data, int(self.thread)); });
  EXPECT_TRUE(run.finish().empty());
  EXPECT_GE(current_statistics().accesses, 8u);
}

} // namespace
} // namespace mockgpu::tests
