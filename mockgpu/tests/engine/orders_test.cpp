// Which orders hold between operations: each as a program that relies on one that is not there, and
// its correct twin. Every program runs under every schedule, with equal identities.
#include <gmock/gmock.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Streams, ReportsTwoWritesOnUnorderedStreams) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const left = run.add_stream("left"), right = run.add_stream("right");
    region const x = run.allocate(64);
    run.write(left, x);
    run.write(right, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].rule, "stream-order");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 64}}));
  EXPECT_EQ(found[0].first.chain, "stream 1 (left)");
  EXPECT_EQ(found[0].second.chain, "stream 2 (right)");
  EXPECT_EQ(found[0].first.what, "kernel");
  EXPECT_EQ(found[0].first.location.file, "scripted.cu");
}

TEST(Streams, AcceptsTwoWritesOrderedByAnEvent) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const left = run.add_stream("left"), right = run.add_stream("right");
                region const x = run.allocate(64);
                run.write(left, x);
                run.wait(right, run.record(left));
                run.write(right, x);
              }),
              IsEmpty());
}

TEST(Streams, AcceptsReadsOfOneArrayOnUnorderedStreams) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                for (char const* name : {"a", "b", "c"}) run.read(run.add_stream(name), x);
              }),
              IsEmpty());
}

TEST(Streams,
     AcceptsAtomicUpdatesOnUnorderedStreams) { // twin: ReportsAnAtomicUpdateBesideAPlainRead
  RecordProperty("rule", "atomics-do-not-race");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                run.kernel(run.add_stream("a"), {updates(x)});
                run.kernel(run.add_stream("b"), {updates(x)});
              }),
              IsEmpty());
}

TEST(Streams, ReportsAnAtomicUpdateBesideAPlainRead) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    run.kernel(run.add_stream("a"), {updates(x)});
    run.read(run.add_stream("b"), x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].first.access, "atomic");
  EXPECT_EQ(found[0].second.access, "read");
}

TEST(Streams, AcceptsDisjointHalvesAndTouchingRanges) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                run.kernel(run.add_stream("a"), {writes(x.part(0, 33), 1)});
                run.kernel(run.add_stream("b"), {writes(x.part(33, 64), 1)});
              }),
              IsEmpty());
}

TEST(Streams, ReportsExactlyTheBytesThatOverlap) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    run.kernel(run.add_stream("a"), {writes(x.part(0, 34), 1)});
    run.kernel(run.add_stream("b"), {writes(x.part(33, 64), 1)});
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{33, 34}}));
}

TEST(Streams, MakesOneFindingOfARaceOnScatteredBytes) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(256);
    std::vector<touch> even;
    for (std::size_t at = 0; at < 256; at += 64) even.push_back(writes(x.part(at, at + 8)));
    run.kernel(run.add_stream("a"), even);
    run.write(run.add_stream("b"), x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 8}, {64, 72}, {128, 136}, {192, 200}}));
}

// ---- events
// ---------------------------------------------------------------------------------------------

TEST(Events, KeepsTheRecordThatWasNewestAtTheWait) { // twin: ReportsRelianceOnARecordAfterTheWait
  RecordProperty("rule", "wait-at-call");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                auto const event = run.add_event();
                run.write(a, x);
                run.record(event, a);
                run.wait(b, event);
                run.record(event, a); // too late to matter
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(Events, ReportsRelianceOnARecordAfterTheWait) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    auto const event = run.add_event();
    run.record(event, a);
    run.wait(b, event);
    run.write(a, x);
    run.record(event, a);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Events, ReportsRelianceOnARecordThatWasOverwrittenBeforeTheWait) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b"), c = run.add_stream("c");
    region const x = run.allocate(64);
    auto const event = run.add_event();
    run.write(a, x);
    run.record(event, a);
    run.record(event, c); // the record on a is gone
    run.wait(b, event);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Events, AcceptsARecordThatIsOverwrittenByALaterOneOfTheSameStream) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                auto const event = run.add_event();
                run.write(a, x);
                run.record(event, a);
                run.record(event, a);
                run.wait(b, event);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(Events, KeepsAWaitWhoseEventWasDestroyed) { // twin: ReportsAnEventThatWasNeverRecorded
  RecordProperty("rule", "early-destroy-keeps-waits");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                run.write(a, x);
                auto const event = run.record(a);
                run.wait(b, event);
                ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(Events, ReportsAnEventThatWasNeverRecorded) {
  RecordProperty("rule", "unrecorded-is-complete");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    run.write(a, x);
    run.wait(b, run.add_event());
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Events, OrdersThroughAChainOfStreams) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                auto previous = run.add_stream("s0");
                run.write(previous, x);
                for (char const* name : {"s1", "s2", "s3", "s4"}) {
                  auto const next = run.add_stream(name);
                  run.wait(next, run.record(previous));
                  previous = next;
                }
                run.write(previous, x);
              }),
              IsEmpty());
}

TEST(Events, ReportsAWaitThatComesAfterTheWork) { // twin: AcceptsTwoWritesOrderedByAnEvent
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    run.write(a, x);
    auto const event = run.record(a);
    run.write(b, x);
    run.wait(b, event);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

// ---- the legacy default stream
// --------------------------------------------------------------------------------

TEST(LegacyStream, ComesAfterEarlierAndBeforeLaterWorkOfBlockingStreams) {
  RecordProperty("rule", "legacy-barrier");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a", true), b = run.add_stream("b", true);
                region const x = run.allocate(64);
                run.write(a, x);
                run.write(nullptr, x);
                run.write(b, x);
                run.write(cudaStreamLegacy, x);
              }),
              IsEmpty());
}

TEST(LegacyStream, ReportsBlockingStreamsWithoutLegacyWorkBetween) {
  RecordProperty("rule", "legacy-barrier");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a", true), b = run.add_stream("b", true);
    region const x = run.allocate(64);
    run.write(a, x);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(LegacyStream, DoesNotOrderNonBlockingStreamsInEitherDirection) {
  RecordProperty("rule", "nonblocking-exempt");
  for (bool const legacy_first : {true, false}) {
    auto const found = in_every_schedule([=](scripted_run& run) {
      auto const a = run.add_stream("a");
      region const x = run.allocate(64);
      run.write(legacy_first ? nullptr : a, x);
      run.write(legacy_first ? a : nullptr, x);
    });
    ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
    EXPECT_EQ(found[0].rule, "nonblocking-exempt");
  }
}

TEST(LegacyStream, OrdersRecordsAndWaitsToo) {
  EXPECT_THAT(
      in_every_schedule([](scripted_run& run) {
        auto const blocking = run.add_stream("blocking", true), other = run.add_stream("other");
        region const x = run.allocate(64);
        run.write(blocking, x);
        run.wait(other, run.record(nullptr)); // the record comes after the blocking stream's work
        run.write(other, x);
      }),
      IsEmpty());
}

TEST(LegacyStream, OrdersAStreamThatIsMadeAfterIt) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                run.write(nullptr, x);
                run.write(run.add_stream("late", true), x);
              }),
              IsEmpty());
}

// ---- what the host's waits order
// ---------------------------------------------------------------------------

TEST(HostWaits, OrdersWorkIssuedAfterAStreamSynchronise) {
  RecordProperty("rule", "stream-synchronise");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                run.write(a, x);
                run.synchronize(a);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(HostWaits, ReportsASynchroniseOfTheWrongStream) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b"), c = run.add_stream("c");
    region const x = run.allocate(64);
    run.write(a, x);
    run.synchronize(c);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(HostWaits, DeviceSynchroniseCoversNonBlockingStreams) {
  RecordProperty("rule", "device-synchronise");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                run.write(a, x);
                ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(HostWaits, AQueryThatSucceedsHasTheForceOfAWait) {
  RecordProperty("rule", "query-synchronises");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                run.write(a, x);
                run.poll(a);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(HostWaits, AQueryThatIsNotObeyedOrdersNothing) {
  // What an unsuccessful answer does depends on the schedule; under lazy it comes at once.
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a"), b = run.add_stream("b");
  region const x = run.allocate(64);
  run.write(a, x);
  ASSERT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  run.write(b, x);
  EXPECT_THAT(kinds(run.finish()), ElementsAre("stream-race"));
}

TEST(HostWaits, AnEventSynchroniseCoversWhatCameBeforeTheRecordOnly) {
  RecordProperty("rule", "record-at-call");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64), y = run.allocate(64, "y");
    run.write(a, x);
    auto const event = run.record(a);
    run.write(a, y);
    ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
    run.kernel(b, {writes(x), writes(y)});
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].memory.name, "y");
}

// ---- copies and fills
// ----------------------------------------------------------------------------------------

TEST(Copies, ReportsADeviceCopyBesideAKernel) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64), y = run.allocate(64, "y");
    run.write(a, x);
    run.copy(y, x, cudaMemcpyDeviceToDevice, b);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].second.name, "cudaMemcpyAsync");
  EXPECT_EQ(found[0].second.access, "read");
}

TEST(Copies, AcceptsRowsThatInterleave) { // twin: ReportsRowsThatOverlapByAByte
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(256), y = run.allocate(256, "y");
                for (int side = 0; side < 2; ++side)
                  ASSERT_EQ(cudaMemcpy2DAsync(static_cast<char*>(x.base) + side * 16, 32, y.base,
                                              32, 16, 8, cudaMemcpyDeviceToDevice,
                                              side == 0 ? a : b),
                            cudaSuccess);
              }),
              IsEmpty());
}

TEST(Copies, ReportsRowsThatOverlapByAByte) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(256), y = run.allocate(256, "y");
    ASSERT_EQ(cudaMemcpy2DAsync(x.base, 32, y.base, 32, 17, 8, cudaMemcpyDeviceToDevice, a),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpy2DAsync(static_cast<char*>(x.base) + 16, 32, y.base, 32, 16, 8,
                                cudaMemcpyDeviceToDevice, b),
              cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].ranges.size(), 8u);
  EXPECT_EQ(found[0].ranges[1], (byte_range{48, 49}));
}

TEST(Copies, ReportsAFirstKernelThatMayOvertakeTheZeroFill) { // D2: memset does not wait for a
                                                              // non-blocking stream
  RecordProperty("rule", "memset-waits");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_raw(64);
    ASSERT_EQ(cudaMemset(x.base, 0, 64), cudaSuccess);
    run.write(a, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Copies, AcceptsAZeroFillOnTheStreamOfItsUse) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate_raw(64);
                ASSERT_EQ(cudaMemsetAsync(x.base, 0, 64, a), cudaSuccess);
                run.kernel(a, {reads(x), writes(x)});
              }),
              IsEmpty());
}

TEST(Copies, ASynchronousCopyFromTheDeviceOrdersLaterWork) {
  RecordProperty("rule", "download-waits");
  EXPECT_THAT(
      in_every_schedule([](scripted_run& run) {
        auto const blocking = run.add_stream("blocking", true), other = run.add_stream("other");
        region const x = run.allocate(64);
        std::vector<char> result(64);
        run.write(blocking, x);
        ASSERT_EQ(cudaMemcpy(result.data(), x.base, 64, cudaMemcpyDeviceToHost), cudaSuccess);
        run.host_reads(result.data(), 64);
        run.write(other, x); // the host waited for the copy, and the copy for the blocking stream
      }),
      IsEmpty());
}

// ---- host functions
// ------------------------------------------------------------------------------------------

TEST(HostFunctions, RunInTheOrderOfTheirStream) { // twin: ReportsAHostFunctionBesideAnotherStream
  RecordProperty("rule", "host-function-in-order");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                static region memory;
                memory = run.allocate_pinned(64);
                ASSERT_EQ(cudaMemsetAsync(memory.base, 0, 64, a), cudaSuccess);
                ASSERT_EQ(cudaLaunchHostFunc(
                              a,
                              [](void*) {
                                access_range(reinterpret_cast<std::uintptr_t>(memory.base), 64,
                                             access_kind::write, nullptr);
                              },
                              nullptr),
                          cudaSuccess);
                run.read(a, memory);
              }),
              IsEmpty());
}

TEST(HostFunctions, ReportsAHostFunctionBesideAnotherStream) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    static region memory;
    memory = run.allocate_pinned(64);
    ASSERT_EQ(cudaMemset(memory.base, 0, 64), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(
                  a,
                  [](void*) {
                    access_range(reinterpret_cast<std::uintptr_t>(memory.base), 64,
                                 access_kind::write, nullptr);
                  },
                  nullptr),
              cudaSuccess);
    run.read(b, memory);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].first.what, "host function");
}

TEST(HostFunctions, MayCallNothingOfTheRuntime) {
  RecordProperty("rule", "host-function-calls-nothing");
  scripted_run run;
  auto const a = run.add_stream("a");
  static cudaError_t answer;
  answer = cudaSuccess;
  ASSERT_EQ(cudaLaunchHostFunc(
                a, [](void*) { answer = cudaDeviceSynchronize(); }, nullptr),
            cudaSuccess);
  run.synchronize(a);
  EXPECT_EQ(answer, cudaErrorNotPermitted);
}

// ---- several devices
// ------------------------------------------------------------------------------------------

TEST(Devices,
     AcceptsAWaitForAnEventOfAnotherDevice) { // twin: ReportsRecordingOnAnotherDevicesStream
  RecordProperty("rule", "cross-device-wait");
  options two;
  two.device_count = 2;
  EXPECT_THAT(in_every_schedule(
                  [](scripted_run& run) {
                    auto const a = run.add_stream("a");
                    region const x = run.allocate(64);
                    run.write(a, x);
                    auto const event = run.record(a);
                    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
                    ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
                    auto const b = run.add_stream("b");
                    run.wait(b, event);
                    run.write(b, x);
                    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
                  },
                  two),
              IsEmpty());
}

TEST(Devices, ReportsRecordingOnAnotherDevicesStream) {
  RecordProperty("rule", "record-needs-device");
  options two;
  two.device_count = 2;
  auto const found = in_every_schedule(
      [](scripted_run& run) {
        region const x = run.allocate(64);
        auto const event = run.add_event();
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
        auto const b = run.add_stream("b");
        run.write(b, x);
        EXPECT_EQ(cudaEventRecord(event, b), cudaErrorInvalidResourceHandle);
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
      },
      two);
  EXPECT_THAT(kinds(found), ElementsAre("wrong-device"));
}

void touch_memory_of_another_device(char const* dialect, char const* cure) {
  options two;
  two.device_count = 2;
  two.dialect = dialect;
  auto const found = in_every_schedule(
      [](scripted_run& run) {
        region const x = run.allocate(64, "x");
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        auto const b = run.add_stream("b");
        run.write(b, x);
        run.write(b, x); // the same again is not said again
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
      },
      two);
  ASSERT_THAT(kinds(found), ElementsAre("wrong-device"));
  EXPECT_THAT(found[0].message,
              HasSubstr(std::string("runs on device 1 and touches memory of device 0, to which it "
                                    "has no access: enable it on device 1 (") +
                        cure + ")"));
  EXPECT_EQ(found[0].rule, "peer-access");
}
TEST(Devices, ReportsAKernelOnMemoryThatItsDeviceHasNoAccessTo) { // twins: the two above
  touch_memory_of_another_device("cuda-13", "cudaDeviceEnablePeerAccess(0, 0)");
  touch_memory_of_another_device("hip-7", "hipDeviceEnablePeerAccess(0, 0)");
}

/// A stream of each device, a copy from one to the other between their kernels, and no wait.
std::vector<finding> copied_between_devices(bool async) {
  options two;
  two.device_count = 2;
  return in_every_schedule(
      [async](scripted_run& run) {
        auto const a = run.add_stream("a");
        region const x = run.allocate(64, "x");
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        auto const b = run.add_stream("b");
        region const y = run.allocate(64, "y");
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
        run.write(a, x);
        ASSERT_EQ(async ? cudaMemcpyPeerAsync(y.base, 1, x.base, 0, 64, nullptr)
                        : cudaMemcpyPeer(y.base, 1, x.base, 0, 64),
                  cudaSuccess);
        run.write(a, x);
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        run.read(b, y);
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
      },
      two);
}

TEST(Devices, ACopyBetweenThemIsSerialisedWithTheWorkOfBoth) {
  EXPECT_THAT(copied_between_devices(/*async=*/false), IsEmpty());
}

TEST(Devices, AnAsynchronousCopyBetweenThemIsNot) { // twin of the above
  EXPECT_THAT(kinds(copied_between_devices(/*async=*/true)), testing::Contains("stream-race"));
}

} // namespace
} // namespace mockgpu::tests
