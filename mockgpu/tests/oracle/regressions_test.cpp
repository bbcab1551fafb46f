// What the random programs found, shrunk: one plain test each.
#include <gmock/gmock.h>

#include "engine/scripted_run.hpp"
#include "mockgpu/annotate.h"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Regressions, OnlyStreamsOfOneDeviceAreExemptFromItsLegacyBarrier) {
  options two_devices;
  two_devices.device_count = 2;
  auto const found = in_every_schedule(
      [](scripted_run& run) {
        region const pinned = run.allocate_pinned(64);
        run.host_writes(pinned.base, 64);
        run.write(nullptr, pinned); // of device 0
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        run.read(run.add_stream("of device 1"), pinned);
      },
      two_devices);
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].rule, "stream-order");
}

TEST(Regressions, WorkThatIsIssuedBeforeAStreamOrderedFreeIsJudgedInFullWhenItRunsAfterIt) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const owner = run.add_stream("owner"), a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, owner);
    auto const ready = run.record(owner);
    run.wait(a, ready);
    run.wait(b, ready);
    run.write(a, x);
    run.read(b, x);
    ASSERT_EQ(cudaFreeAsync(x.base, owner), cudaSuccess); // ordered before none of the two
  });
  EXPECT_THAT(kinds(found), UnorderedElementsAre("stream-race", "undefined-read", "use-after-free",
                                                 "use-after-free"));
}

TEST(Regressions, AStreamOrderedFreeBehindAllUsesIsSilent) { // twin of the above
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const owner = run.add_stream("owner"), a = run.add_stream("a");
                region const x = run.allocate_async(64, owner);
                run.wait(a, run.record(owner));
                run.write(a, x);
                run.read(a, x);
                run.wait(owner, run.record(a));
                ASSERT_EQ(cudaFreeAsync(x.base, owner), cudaSuccess);
              }),
              IsEmpty());
}

TEST(Regressions, WhatIsCopiedFromAFreedBlockIsReportedOnce) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const owner = run.add_stream("owner");
    region const x = run.allocate_async(64, owner), y = run.allocate(64, "y");
    run.write(owner, x);
    ASSERT_EQ(cudaFreeAsync(x.base, owner), cudaSuccess);
    run.copy(y, x, cudaMemcpyDeviceToDevice, owner);
    run.read(owner, y);
  });
  EXPECT_THAT(kinds(found), ElementsAre("use-after-free"));
}

TEST(Regressions, ASynchronousCopyReadsItsPageableSourceAfterTheWorkOfItsStream) { // D2
  static char staging[64];
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64), y = run.allocate(64, "y");
                run.copy({staging, 64}, x, cudaMemcpyDeviceToHost, nullptr);
                ASSERT_EQ(cudaMemcpy(y.base, staging, 64, cudaMemcpyHostToDevice), cudaSuccess);
                run.synchronize(nullptr);
              }),
              IsEmpty());
}

TEST(Regressions, ASynchronousCopyDoesNotWaitForOtherStreams) { // twin of the above
  static char staging[64];
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const other = run.add_stream("other");
    region const x = run.allocate(64), y = run.allocate(64, "y");
    run.copy({staging, 64}, x, cudaMemcpyDeviceToHost, other);
    ASSERT_EQ(cudaMemcpy(y.base, staging, 64, cudaMemcpyHostToDevice), cudaSuccess);
    run.synchronize(other);
  });
  EXPECT_THAT(kinds(found), ElementsAre("host-race"));
}

TEST(Regressions, ANewStreamHidesNothingOfAnOldOneFromWorkThatIsStillQueued) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const reader = run.add_stream("reader"), old = run.add_stream("old");
    region const x = run.allocate(64);
    run.read(reader, x); // may run last
    run.write(old, x);
    run.synchronize(old);
    ASSERT_EQ(cudaStreamDestroy(old), cudaSuccess);
    run.write(run.add_stream("new"), x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race", "stream-race"));
  EXPECT_EQ(found[0].second.chain, "stream 2 (old)");
  EXPECT_EQ(found[1].second.chain, "stream 3 (new)");
}

} // namespace
} // namespace mockgpu::tests
