// Plain reads in front of compare-and-swap (rule D10), as twins: a guess is silent, a use is not.
#include "thread_race_test.hpp"

namespace mockgpu::tests {
namespace {

class Guesses : public thread_race_test {
protected:
  template <class T> static void add_by_exchange(device_thread const& self, T* to) {
    T old = self.load(to), assumed;
    do {
      assumed = old;
      old = self.exchange(to, assumed, T(assumed + 1));
    } while (old != assumed);
  }
};

TEST_F(Guesses, ThatTheExchangeConfirmsRaceWithNoAtomic) {
  auto* const wide = reinterpret_cast<long long*>(data_ + 2);
  auto* const narrow = reinterpret_cast<short*>(data_ + 4);
  run_threads(3, 8, [&](device_thread const& self) {
    add_by_exchange(self, data_);
    add_by_exchange(self, wide);
    add_by_exchange(self, narrow + 1);
  });
  expect_silence();
}

TEST_F(Guesses, ThatAnotherExchangeConfirmsAreUses) {
  run_threads(3, 8, [&](device_thread const& self) {
    self.load(data_);
    self.exchange(data_, -1, 1); // does not demand what was read
  });
  finding const race = expect_race("atomic-and-plain");
  EXPECT_EQ(race.byte_end, 4);
}

// DaCe's updates of doubles begin with the number where its bits are wanted.
TEST_F(Guesses, MayBeMadeAgainFromWhatAnExchangeThatFailedHandsBack) { // twin: the one above
  auto* const wide = reinterpret_cast<long long*>(data_ + 2);
  run_threads(3, 8, [&](device_thread const& self) {
    long long assumed = self.load(wide) + (1LL << 40);
    for (long long old = assumed;; assumed = old) {
      old = self.exchange(wide, assumed, assumed + 1);
      if (old == assumed) break;
    }
  });
  expect_silence();
}

TEST_F(Guesses, OfOneWordAreNotExcusedByAnExchangeOfAnother) {
  run_threads(3, 8, [&](device_thread const& self) {
    int const found = self.load(data_);
    self.exchange(data_ + 1, found, found + 1);
    self.add(data_, 1);
  });
  expect_race("atomic-and-plain");
}

TEST_F(Guesses, BeforeAnAtomicThatComparesNothingAreUses) {
  run_threads(3, 8, [&](device_thread const& self) {
    if (self.load(data_) < 100) self.add(data_, 1);
  });
  expect_race("atomic-and-plain");
}

TEST_F(Guesses, ThatSomeThreadsOnlyReadAreUses) {
  run_threads(3, 8, [&](device_thread const& self) {
    int const found = self.load(data_);
    if (self.thread != 5) self.exchange(data_, found, found + 1);
  });
  expect_race("atomic-and-plain");
}

TEST_F(Guesses, EndAtABarrier) {
  run_threads(2, 8, [&](device_thread const& self) {
    int const found = self.load(data_ + self.thread);
    self.barrier();
    self.exchange(data_ + self.thread, found, found + 1);
  });
  expect_race("atomic-and-plain");
}

TEST_F(Guesses, DoNotEndAtAFence) { // twin: EndAtABarrier
  run_threads(2, 8, [&](device_thread const& self) {
    int const found = self.load(data_ + self.thread);
    self.fence();
    self.exchange(data_ + self.thread, found, found + 1);
  });
  expect_silence();
}

TEST_F(Guesses, AtTwoPlacesAreAUseAndAGuess) {
  run_threads(2, 8, [&](device_thread const& self) {
    self.load(data_);
    add_by_exchange(self, data_);
  });
  finding const race = expect_race("atomic-and-plain");
  unsigned const use = __LINE__ - 4;
  EXPECT_TRUE(race.first.location.line == use || race.second.location.line == use);
}

TEST_F(Guesses, ThatAreMadeAgainInOneLineAreOne) { // twin: AtTwoPlacesAreAUseAndAGuess
  run_threads(2, 8, [&](device_thread const& self) {
    int found = 0;
    for (int i = 0; i < 3; ++i) found = self.load(data_);
    self.exchange(data_, found, found + 1);
  });
  expect_silence();
}

TEST_F(Guesses, RaceWithPlainWritesAsEveryReadDoes) {
  run_threads(2, 8, [&](device_thread const& self) {
    if (self.block == 1 && self.thread == 7) self.store(data_, 5);
    if (self.block == 0) add_by_exchange(self, data_);
  });
  auto const all = finish();
  EXPECT_EQ(of_kind(all, "thread-race").size(), all.size());
  EXPECT_EQ(all.size(), 1u); // the exchange with the store; the guess is no access of its own
}

TEST_F(Guesses, InSharedMemoryAreJudgedAlike) {
  alignas(8) static int shared[2];
  run_threads(2, 8, [&](device_thread const& self) {
    thread_order::shared_memory(shared, sizeof shared);
    if (self.thread == 0) self.store(shared, 0), self.store(shared + 1, 0);
    self.barrier();
    add_by_exchange(self, shared);
    if (self.thread == 3) self.load(shared + 1);
    self.add(shared + 1, 1);
  });
  finding const race = expect_race("atomic-and-plain");
  EXPECT_EQ(race.byte_begin, 4);
  EXPECT_EQ(race.byte_end, 8);
}

// Between operations. Bytes that a kernel compares and swaps stand for its plain reads of them.
void two_kernels(scripted_run& run, std::vector<touch> first, std::vector<touch> second) {
  cudaStream_t const left = run.add_stream("left"), right = run.add_stream("right");
  run.kernel(left, std::move(first));
  run.kernel(right, std::move(second));
}

TEST(GuessesOfKernels, ThatNothingOrdersDoNotRace) {
  for (checking_depth const depth : {checking_depth::operations, checking_depth::threads}) {
    options chosen;
    chosen.checked = depth;
    EXPECT_EQ(text_of(in_every_schedule(
                  [](scripted_run& run) {
                    region const x = run.allocate(64);
                    two_kernels(run, {reads(x), swaps(x)}, {reads(x, 8), swaps(x), updates(x)});
                  },
                  chosen)),
              "");
  }
}

TEST(GuessesOfKernels, ThatExchangeNothingRace) { // twin: ThatNothingOrdersDoNotRace
  for (checking_depth const depth : {checking_depth::operations, checking_depth::threads}) {
    options chosen;
    chosen.checked = depth;
    auto const all = in_every_schedule(
        [](scripted_run& run) {
          region const x = run.allocate(64);
          two_kernels(run, {reads(x), swaps(x)}, {reads(x), swaps(x.part(0, 32))});
        },
        chosen);
    ASSERT_EQ(kinds(all), (std::vector<std::string>{"stream-race"}));
    EXPECT_EQ(all[0].ranges, (std::vector<byte_range>{{32, 64}}));
  }
}

TEST(GuessesOfKernels, RaceWithPlainWritesAsEveryReadDoes) {
  auto const all = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    two_kernels(run, {reads(x), swaps(x)}, {writes(x)});
  });
  ASSERT_FALSE(all.empty());
  for (finding const& one : all) EXPECT_EQ(one.kind, "stream-race");
}

} // namespace
} // namespace mockgpu::tests
