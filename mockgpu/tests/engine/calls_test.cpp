// Calls: statuses, last errors, handles, pools, uses, schedules.
#include <gmock/gmock.h>

#include <chrono>

#include "hip/hip_runtime_api.h"
#include "mockgpu/annotate.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Errors, AreKeptUntilTheyAreAskedFor) { // D7
  RecordProperty("rule", "peek-keeps");
  RecordProperty("rule", "last-error-clears");
  scripted_run run;
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 8), cudaSuccess); // a success clears nothing
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Errors, AreThoseOfTheLastCallInHip6) { // D8
  RecordProperty("rule", "last-error-is-last-status");
  options hip;
  hip.dialect = "hip-6";
  scripted_run run(hip);
  EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
  void* pointer = nullptr;
  EXPECT_EQ(hipMalloc(&pointer, 8), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST(Errors, NameALaunchThatCannotBe) {
  RecordProperty("rule", "launch-checks-configuration");
  scripted_run run;
  mockgpu_launch launch{};
  launch.entry_point = "cudaLaunchKernel";
  launch.text = "k";
  launch.entry = +[] {};
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  launch.block[0] = 1025;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), int(cudaErrorInvalidConfiguration));
  launch.block[0] = 1;
  launch.grid[1] = 65536;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), int(cudaErrorInvalidConfiguration));
  launch.grid[1] = 0;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), int(cudaErrorInvalidConfiguration));
}

TEST(Handles, ReportsADestroyedStream) { // twin: AcceptsWorkThatWasQueuedBeforeTheDestruction
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    run.write(a, run.allocate(64));
    ASSERT_EQ(cudaStreamDestroy(a), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(a), cudaErrorInvalidResourceHandle);
  });
  ASSERT_THAT(kinds(found), ElementsAre("invalid-handle"));
  EXPECT_THAT(found[0].message, HasSubstr("stream 1 (a), which has been destroyed"));
}

TEST(Handles, AcceptsWorkThatWasQueuedBeforeTheDestruction) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64);
                run.write(a, x);
                auto const event = run.record(a);
                ASSERT_EQ(cudaStreamDestroy(a), cudaSuccess);
                run.wait(b, event);
                run.write(b, x);
              }),
              IsEmpty());
}

TEST(Handles, DestructionOrdersNothing) {
  RecordProperty("rule", "destroy-waits");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    run.write(a, x);
    ASSERT_EQ(cudaStreamDestroy(a), cudaSuccess);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Handles, ASlotThatIsUsedAgainLendsNoOrder) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    run.write(a, x);
    run.synchronize(a);
    ASSERT_EQ(cudaStreamDestroy(a), cudaSuccess);
    auto const b = run.add_stream("b"), c = run.add_stream("c"); // one of them gets the slot
    run.write(b, x);
    run.write(c, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].first.chain, "stream 2 (b)");
}

TEST(Handles, ReportsAHandleThatWasNeverMade) {
  auto const found = in_every_schedule([](scripted_run& run) {
    run.write(nullptr, run.allocate(64));
    EXPECT_EQ(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(0x1234)),
              cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventSynchronize(nullptr), cudaErrorInvalidResourceHandle);
  });
  EXPECT_THAT(kinds(found), ElementsAre("invalid-handle", "invalid-handle"));
}

TEST(Pools, HaveTheVendorsDefaults) { // D4
  RecordProperty("rule", "default-pool-stays");
  RecordProperty("rule", "pool-attributes");
  scripted_run run;
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  for (cudaMemPoolAttr const reuse :
       {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
        cudaMemPoolReuseAllowInternalDependencies}) {
    int flag = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, reuse, &flag), cudaSuccess);
    EXPECT_EQ(flag, 1);
  }
  std::uint64_t value = 1;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value), cudaSuccess);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
}

TEST(Pools, CountWhatIsInUse) {
  scripted_run run;
  auto const a = run.add_stream("a");
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  region const x = run.allocate_async(100, a);
  std::uint64_t value = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value), cudaSuccess);
  EXPECT_EQ(value, 100u);
  ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value), cudaSuccess);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value), cudaSuccess);
  EXPECT_EQ(value, 100u);
  value = 5;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value),
            cudaErrorInvalidValue);
}

TEST(Uses, ReportsAnOperationOnAnotherStream) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const given = run.add_stream("given"), other = run.add_stream("other");
    region const x = run.allocate(64);
    mockgpu_open_use("heat", given, 1);
    run.write(given, x);
    run.synchronize(given);
    run.write(other, x);
    mockgpu_close_use();
  });
  ASSERT_THAT(kinds(found), ElementsAre("wrong-stream"));
  EXPECT_THAT(found[0].message,
              HasSubstr("on stream 2 (other), but 'heat' was given stream 1 (given)"));
}

TEST(Uses, AcceptsOperationsOnTheGivenStreamAndOthersOutside) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const given = run.add_stream("given"), other = run.add_stream("other");
                region const x = run.allocate(64), y = run.allocate(64, "y");
                mockgpu_open_use("heat", given, 1);
                run.write(given, x);
                mockgpu_close_use();
                run.write(other, y);
              }),
              IsEmpty());
}

TEST(Schedules, LazyRunsOnlyWhatAWaitNeeds) {
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a"), b = run.add_stream("b");
  region const x = run.allocate(64), y = run.allocate(64, "y");
  auto const before = current_statistics().operations;
  run.write(a, x);
  run.write(b, y);
  EXPECT_EQ(current_statistics().operations, before);
  run.synchronize(b);
  EXPECT_EQ(current_statistics().operations, before + 1);
  EXPECT_THAT(run.finish(), IsEmpty());
  EXPECT_EQ(current_statistics().operations, before + 2);
}

TEST(Schedules, OneSeedGivesOneRun) {
  auto const text = [](std::uint64_t seed) {
    options chosen;
    chosen.schedule = schedule_kind::random;
    chosen.seed = seed;
    scripted_run run(chosen);
    region const x = run.allocate(64);
    std::string order;
    for (char const* name : {"a", "b", "c", "d"}) {
      auto const s = run.add_stream(name);
      run.write(s, x);
      order += cudaStreamQuery(s) == cudaSuccess ? '1' : '0';
    }
    return order + text_of(run.finish());
  };
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(text(seed), text(seed));
    different.insert(text(seed).substr(0, 4));
  }
  EXPECT_GT(different.size(), 1u) << "the seed decides nothing";
}

TEST(Schedules, EagerTakesTimeToFinishAsFarAsQueriesTell) {
  scripted_run run;
  auto const s = run.add_stream("s");
  region const x = run.allocate(64);
  cudaEvent_t begin = nullptr, end = nullptr;
  EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess) << "there is no work";
  float milliseconds = 0;
  auto const work = [&] {
    run.record(begin, s);
    run.write(s, x);
    run.record(end, s);
  };
  work();
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(end), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(begin), cudaSuccess) << "it came first";
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  work();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaStreamQuery(s), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess);
  work();
  run.synchronize(s);
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess) << "the host has waited";
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(Schedules, LongChainsOfWaitsNeedNoRecursion) {
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a"), b = run.add_stream("b");
  region const x = run.allocate(8);
  auto const event = run.add_event();
  for (int i = 0; i < 20000; ++i) {
    run.write(i % 2 == 0 ? a : b, x);
    run.record(event, i % 2 == 0 ? a : b);
    run.wait(i % 2 == 0 ? b : a, event);
  }
  EXPECT_THAT(run.finish(), IsEmpty());
  EXPECT_GE(current_statistics().operations, 60000u);
}

TEST(Schedules, ElapsedTimeIsTheSameInEveryRun) {
  std::set<float> times;
  for (int i = 0; i < 2; ++i) {
    scripted_run run;
    cudaEvent_t start = nullptr, stop = nullptr;
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
    run.record(start, nullptr);
    run.record(stop, nullptr);
    ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
    float milliseconds = -1;
    ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
    EXPECT_GT(milliseconds, 0);
    times.insert(milliseconds);
  }
  EXPECT_EQ(times.size(), 1u);
}

TEST(Schedules, ElapsedTimeNeedsRecordsAndTiming) { // D5
  RecordProperty("rule", "elapsed-time-errors");
  scripted_run run;
  cudaEvent_t start = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, start), cudaErrorInvalidResourceHandle);
  auto const without_timing = run.record(nullptr);
  run.record(start, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, without_timing),
            cudaErrorInvalidResourceHandle);
}

TEST(Options, RefuseAnUnknownDialect) {
  options wrong;
  wrong.dialect = "cuda-9";
  try {
    reset(wrong);
    ADD_FAILURE() << "accepted";
  } catch (std::invalid_argument const& problem) {
    EXPECT_STREQ(problem.what(), "unknown dialect 'cuda-9': expected cuda-13, hip-6 or hip-7");
  }
}

TEST(Options, CannotChangeAfterTheFirstCall) {
  scripted_run run;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THROW(configure({}), std::logic_error);
}

} // namespace
} // namespace mockgpu::tests
