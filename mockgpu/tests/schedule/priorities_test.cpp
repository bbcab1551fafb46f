// What pct promises: orders of small depth show often, also where a coin for every step hardly ever
// gives them.
#include <cstring>

#include <gtest/gtest.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

/// One kernel on `late`, many on `early`, nothing between them: true if the one ran last although
/// it was issued first.
bool first_ran_last(options const& chosen, int many) {
  scripted_run run(chosen);
  auto const x = run.allocate(4);
  auto const pinned = run.allocate_pinned(4);
  std::memset(pinned.base, 0, 4);
  auto const late = run.add_stream("late"), early = run.add_stream("early");
  // Kernels write ones, the fill writes zeros: what is there in the end says who was last.
  EXPECT_EQ(cudaMemsetAsync(x.base, 0, 4, late), cudaSuccess);
  for (int i = 0; i < many; ++i) run.write(early, x);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  run.copy(pinned, x, cudaMemcpyDeviceToHost, late);
  run.synchronize(late);
  int last = 1;
  std::memcpy(&last, pinned.base, 4);
  static_cast<void>(run.finish());
  return last == 0;
}

int share(schedule_kind kind, int runs, int many) {
  int times = 0;
  options chosen;
  chosen.schedule = kind;
  chosen.depth = 1;
  for (int seed = 1; seed <= runs; ++seed) {
    chosen.seed = std::uint64_t(seed);
    times += first_ran_last(chosen, many);
  }
  return times;
}

TEST(Pct, ShowsAnOrderOfDepthOneInALargeShareOfItsRuns) {
  int const runs = 100;
  EXPECT_GE(share(schedule_kind::pct, runs, 30), runs / 4);
  // The twin: a coin for every step delays one kernel past thirty hardly ever.
  EXPECT_LE(share(schedule_kind::random, runs, 30), 2);
}

TEST(Pct, LetsAHostThatPollsGoOn) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    options chosen;
    chosen.schedule = schedule_kind::pct;
    chosen.seed = seed;
    scripted_run run(chosen);
    auto const x = run.allocate(64);
    auto const left = run.add_stream("left"), right = run.add_stream("right");
    run.write(left, x);
    run.wait(right, run.record(left));
    run.write(right, x);
    run.poll(right);
    EXPECT_TRUE(run.finish().empty());
    EXPECT_GT(current_statistics().accesses, 0u);
  }
}

} // namespace
} // namespace mockgpu::tests
