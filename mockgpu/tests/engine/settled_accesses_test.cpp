// Accesses that the hooks settle by themselves, because their place has met the like before: they
// are counted and judged as all others are.
#include "thread_race_test.hpp"

namespace mockgpu::tests {
namespace {

struct alignas(16) pair {
  double first, second;
};

class SettledAccesses : public thread_race_test {};

/// Accesses and bytes of one run of threads that each load and store an element.
template <class T> statistics copy_elements(checking_depth depth) {
  options chosen;
  chosen.checked = depth;
  scripted_run run(chosen);
  T* const data = static_cast<T*>(run.allocate(4096).base);
  auto const copy = [&] {
    run_threads(4, 32, [&](device_thread const& self) {
      T* const mine = data + self.block * 32 + self.thread;
      self.store(mine, T{});
      self.load(mine);
    });
  };
  copy();
  statistics const before = current_statistics();
  copy();
  statistics const after = current_statistics();
  for (finding const& one : run.finish()) ADD_FAILURE() << to_text(one);
  statistics difference;
  difference.accesses = after.accesses - before.accesses;
  difference.bytes_checked = after.bytes_checked - before.bytes_checked;
  return difference;
}

TEST(SettledCounts, AreOneForEachAccessOfAnySize) {
  for (checking_depth const depth : {checking_depth::operations, checking_depth::threads}) {
    constexpr std::uint64_t accesses = 2 * 4 * 32;
    statistics const of_words = copy_elements<double>(depth);
    EXPECT_GE(of_words.accesses, accesses); // and the argument of the launch
    EXPECT_EQ(copy_elements<float>(depth).accesses, of_words.accesses);
    statistics const of_pairs = copy_elements<pair>(depth);
    EXPECT_EQ(of_pairs.accesses, of_words.accesses);
    EXPECT_EQ(of_pairs.bytes_checked - of_words.bytes_checked, accesses * 8);
    EXPECT_EQ(copy_elements<char>(depth).accesses, of_words.accesses);
  }
}

TEST_F(SettledAccesses, OfSixteenBytesRaceInTheHalfThatAnotherThreadWrites) {
  auto* const pairs = static_cast<pair*>(x_.base);
  run_threads(1, 32, [&](device_thread const& self) {
    self.store(pairs + self.thread, pair{1, 2});
    if (self.thread == 9) self.store(&pairs[4].second, 3.0);
  });
  EXPECT_EQ(expect_race().ranges, (std::vector<byte_range>{{4 * 16 + 8, 5 * 16}}));
}

TEST_F(SettledAccesses, OfSixteenBytesDoNotRaceWithOtherElements) {
  // twin: OfSixteenBytesRaceInTheHalfThatAnotherThreadWrites
  auto* const pairs = static_cast<pair*>(x_.base);
  run_threads(1, 32, [&](device_thread const& self) {
    self.store(pairs + self.thread, pair{1, 2});
    if (self.thread == 9) self.store(&pairs[9].second, 3.0);
  });
  expect_silence();
}

TEST_F(SettledAccesses, OfManyAtomicsRaceWithThePlainWriteThatComesLast) {
  run_threads(4, 32, [&](device_thread const& self) {
    self.add(data_, 1);
    if (self.block == 3 && self.thread == 31) self.store(data_, 0);
  });
  expect_race("atomic-and-plain");
}

TEST_F(SettledAccesses, OfManyAtomicsDoNotRace) {
  // twin: OfManyAtomicsRaceWithThePlainWriteThatComesLast
  run_threads(4, 32, [&](device_thread const& self) {
    self.add(data_, 1);
    if (self.block == 3 && self.thread == 31) self.store(data_ + 1, 0);
  });
  expect_silence();
}

TEST_F(SettledAccesses, OfReadsByAllBlocksRaceWithOneWrite) {
  run_threads(4, 32, [&](device_thread const& self) {
    self.load(data_ + 8);
    if (self.block == 2 && self.thread == 5) self.store(data_ + 8, 1);
  });
  expect_race();
}

TEST_F(SettledAccesses, OfReadsByAllBlocksDoNotRace) {
  // twin: OfReadsByAllBlocksRaceWithOneWrite
  run_threads(4, 32, [&](device_thread const& self) {
    self.load(data_ + 8);
    self.load(data_ + 9);
  });
  expect_silence();
}

TEST_F(SettledAccesses, OfOnePlaceThatMeetsManyStatesAreToldApart) {
  // The place that reads all of them in turn finds the bytes of one undefined.
  std::vector<region> all;
  for (int i = 0; i < 16; ++i) all.push_back(i == 11 ? run_.allocate_raw(256) : run_.allocate(256));
  run_threads(2, 16, [&](device_thread const& self) {
    for (region const& one : all) self.load(static_cast<double*>(one.base) + self.thread);
  });
  auto const found = finish();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "undefined-read");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 128}}));
}

} // namespace
} // namespace mockgpu::tests
