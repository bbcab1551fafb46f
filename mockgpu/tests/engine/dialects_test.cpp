// Where the dialects differ, and what a failed device does.
#include <gmock/gmock.h>

#include "device/process.hpp"
#include "hip/hip_runtime_api.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

options with_dialect(char const* name) {
  options chosen;
  chosen.dialect = name;
  return chosen;
}

TEST(Dialects, CopiesBetweenHostRangesAreOverWhenTheCallReturns) {
  RecordProperty("rule", "host-copy-waits");
  static int from[16], to[16];
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const s = run.add_stream("s");
                run.copy({to, 64}, {from, 64}, cudaMemcpyHostToHost, s);
                run.host_writes(from, 64);
                run.host_reads(to, 64);
              }),
              IsEmpty());
}

TEST(Dialects, ACopyBetweenDevicesMemoryWaitsForNobody) { // class may in HIP: no order either
  RecordProperty("rule", "device-copy-waits");
  for (char const* name : {"cuda-13", "hip-6", "hip-7"}) {
    auto const found = in_every_schedule(
        [](scripted_run& run) {
          region const x = run.allocate(64), y = run.allocate(64, "y");
          EXPECT_EQ(cudaMemcpy(y.base, x.base, 64, cudaMemcpyDeviceToDevice), cudaSuccess);
          run.write(run.add_stream("s"), x);
        },
        with_dialect(name));
    EXPECT_THAT(kinds(found), ElementsAre("stream-race")) << name;
  }
}

TEST(Dialects, AFillOfPinnedMemoryIsOverWhenTheCallReturns) {
  RecordProperty("rule", "pinned-memset-waits");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate_pinned(64);
                EXPECT_EQ(cudaMemset(x.base, 0, 64), cudaSuccess);
                run.host_reads(x.base, 64);
              }),
              IsEmpty());
}

TEST(Dialects, APoolMayGoBeforeItsMemory) {
  RecordProperty("rule", "pool-destroy-keeps-blocks");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                cudaMemPoolProps wanted{};
                wanted.allocType = cudaMemAllocationTypePinned;
                wanted.location = {cudaMemLocationTypeDevice, 0};
                cudaMemPool_t pool = nullptr;
                ASSERT_EQ(cudaMemPoolCreate(&pool, &wanted), cudaSuccess);
                auto const s = run.add_stream("s");
                void* x = nullptr;
                ASSERT_EQ(cudaMallocFromPoolAsync(&x, 64, pool, s), cudaSuccess);
                ASSERT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
                run.write(s, {x, 64});
                EXPECT_EQ(cudaFreeAsync(x, s), cudaSuccess);
              }),
              IsEmpty());
}

TEST(Dialects, ReuseOfABlockOrdersNoOtherData) {
  RecordProperty("rule", "reuse-orders-data");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const data = run.allocate(64, "data");
    region const first = run.allocate_async(256, a);
    run.write(a, first);
    run.write(a, data);
    EXPECT_EQ(cudaFreeAsync(first.base, a), cudaSuccess);
    region const second = run.allocate_async(256, b);
    run.write(b, second);
    run.write(b, data); // though it may sit in the first one's memory
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

// A host access behind a free: ordered where the free waits for the device.
std::vector<std::string> kinds_behind_free(char const* name, bool pool) {
  return kinds(in_every_schedule(
      [=](scripted_run& run) {
        auto const s = run.add_stream("s"), t = run.add_stream("t");
        region const x = run.allocate(64);
        region const y = pool ? run.allocate_async(64, s) : run.allocate_pinned(64);
        if (pool) run.synchronize(s);
        run.write(s, x);
        EXPECT_EQ(pool ? cudaFree(y.base) : cudaFreeHost(y.base), cudaSuccess);
        run.write(t, x);
      },
      with_dialect(name)));
}

TEST(Dialects, AFreeOfPoolMemoryWaitsForTheDeviceBeforeHip7) {
  RecordProperty("rule", "pool-free-synchronises");
  EXPECT_THAT(kinds_behind_free("cuda-13", true), ElementsAre("stream-race"));
  EXPECT_THAT(kinds_behind_free("hip-6", true), IsEmpty());
  EXPECT_THAT(kinds_behind_free("hip-7", true), ElementsAre("stream-race"));
}

TEST(Dialects, AFreeOfPinnedMemoryWaitsForTheDeviceInHip) {
  RecordProperty("rule", "host-free-synchronises");
  EXPECT_THAT(kinds_behind_free("cuda-13", false), ElementsAre("stream-race"));
  EXPECT_THAT(kinds_behind_free("hip-6", false), IsEmpty());
  EXPECT_THAT(kinds_behind_free("hip-7", false), IsEmpty());
}

TEST(Dialects, WaitingForTheDefaultStreamCoversBlockingStreamsInHip) {
  RecordProperty("rule", "default-synchronise-covers-blocking");
  auto const found = [](char const* name) {
    return kinds(in_every_schedule(
        [](scripted_run& run) {
          auto const s = run.add_stream("s", /*blocking=*/true), t = run.add_stream("t");
          region const x = run.allocate(64);
          run.write(s, x);
          run.synchronize(nullptr);
          run.write(t, x);
        },
        with_dialect(name)));
  };
  EXPECT_THAT(found("cuda-13"), ElementsAre("stream-race"));
  EXPECT_THAT(found("hip-6"), IsEmpty());
}

TEST(Dialects, QueriesOfTheDefaultStreamCoverBlockingStreamsInHip) {
  RecordProperty("rule", "default-synchronise-covers-blocking");
  auto const first_answer = [](char const* name, bool blocking) {
    scripted_run run(with_dialect(name));
    auto const s = run.add_stream("s", blocking);
    run.write(s, run.allocate(64));
    int const answer = cudaStreamQuery(nullptr);
    run.synchronize(s);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
    return answer;
  };
  EXPECT_EQ(first_answer("hip-6", true), cudaErrorNotReady);
  EXPECT_EQ(first_answer("hip-6", false), cudaSuccess);
  EXPECT_EQ(first_answer("cuda-13", true), cudaSuccess);
}

TEST(Dialects, AStreamThatIsGoneIsOfALostContextInHip) {
  RecordProperty("rule", "dead-stream-is-lost-context");
  auto const answers = [](char const* name) {
    scripted_run run(with_dialect(name));
    cudaStream_t gone = nullptr, alive = nullptr;
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaStreamCreate(&gone), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&alive), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(alive), cudaSuccess);
    std::vector<int> const codes = {
        cudaStreamQuery(gone), cudaStreamSynchronize(gone), cudaStreamDestroy(gone),
        cudaEventRecord(event, gone), cudaMemsetAsync(nullptr, 0, 0, gone),
        // What the vendor's own tests expect of it.
        cudaStreamWaitEvent(gone, event, 0)};
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(alive), cudaSuccess);
    return codes;
  };
  EXPECT_THAT(answers("cuda-13"), ElementsAre(400, 400, 400, 400, 400, 400));
  EXPECT_THAT(answers("hip-6"), ElementsAre(709, 709, 709, 709, 709, 400));
  EXPECT_THAT(answers("hip-7"), ElementsAre(709, 709, 709, 709, 709, 400));
}

TEST(Dialects, TheDefaultStreamHasNoFlagsInHip) {
  RecordProperty("rule", "default-stream-has-flags");
  unsigned int flags = 7;
  {
    scripted_run run(with_dialect("cuda-13"));
    EXPECT_EQ(cudaStreamGetFlags(nullptr, &flags), cudaSuccess);
    EXPECT_EQ(flags, 0U);
  }
  scripted_run run(with_dialect("hip-7"));
  EXPECT_EQ(cudaStreamGetFlags(nullptr, &flags), cudaErrorInvalidValue);
}

TEST(Dialects, AStreamOrderedFreeOfNullIsAnErrorInHip) {
  RecordProperty("rule", "null-async-free-is-invalid");
  {
    scripted_run run(with_dialect("cuda-13"));
    EXPECT_EQ(cudaFreeAsync(nullptr, nullptr), cudaSuccess);
  }
  scripted_run run(with_dialect("hip-7"));
  EXPECT_EQ(hipFreeAsync(nullptr, nullptr), hipErrorInvalidValue);
}

TEST(Dialects, ARequestOfNoBytesGivesNull) {
  RecordProperty("rule", "zero-size-gives-null");
  scripted_run run;
  int here = 0;
  void* pointer = &here;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
  pointer = &here;
  EXPECT_EQ(cudaMallocAsync(&pointer, 0, nullptr), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
}

int launch_of_an_empty_grid(char const* name) {
  scripted_run run(with_dialect(name));
  mockgpu_launch launch{};
  launch.entry_point = "hipLaunchKernel";
  launch.text = "k";
  launch.entry = +[] {};
  launch.grid[1] = launch.grid[2] = launch.block[0] = launch.block[1] = launch.block[2] = 1;
  return mockgpu_launch_kernel(&launch);
}

TEST(Dialects, AnEmptyGridIsAnInvalidValueInHip7) {
  RecordProperty("rule", "zero-grid-is-invalid-value");
  EXPECT_EQ(launch_of_an_empty_grid("cuda-13"), int(cudaErrorInvalidConfiguration));
  EXPECT_EQ(launch_of_an_empty_grid("hip-6"), int(hipErrorInvalidConfiguration));
  EXPECT_EQ(launch_of_an_empty_grid("hip-7"), int(hipErrorInvalidValue));
}

int launch_on(cudaStream_t stream) {
  mockgpu_launch launch{};
  launch.entry_point = "cudaLaunchKernel";
  launch.text = "k";
  launch.entry = +[] {};
  launch.run_block = +[](void (*)(), void*) {};
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  launch.stream = stream;
  return mockgpu_launch_kernel(&launch);
}

TEST(SeveralDevices, ReportALaunchOnAnotherDevicesStream) { // twin: the launch after cudaSetDevice
  options two;
  two.device_count = 2;
  auto const found = in_every_schedule(
      [](scripted_run& run) {
        auto const s = run.add_stream("s");
        run.write(s, run.allocate(64));
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(launch_on(s), int(cudaErrorInvalidResourceHandle));
        EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
        EXPECT_EQ(launch_on(s), int(cudaSuccess));
      },
      two);
  ASSERT_THAT(kinds(found), ElementsAre("wrong-device"));
  EXPECT_EQ(found[0].message,
            "kernel 'k' is launched on stream 1 (s) of device 0, but the current device is 1");
}

TEST(FailedDevice, FailsEveryLaterCall) {
  RecordProperty("rule", "sticky-errors");
  scripted_run run;
  region const x = run.allocate(64);
  the_engine().fail_sticky(status::illegal_address);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 8), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress) << "it does not clear";
  EXPECT_EQ(cudaFree(x.base), cudaErrorIllegalAddress);
}

TEST(FailedDevice, ShowsUpWhereTheHostWaits) {
  RecordProperty("rule", "sticky-errors");
  for (schedule_kind const kind : {schedule_kind::eager, schedule_kind::lazy}) {
    options chosen;
    chosen.schedule = kind;
    scripted_run run(chosen);
    auto const s = run.add_stream("s");
    // A host function stands for a kernel that traps: it is on the same stream and in order.
    EXPECT_EQ(cudaLaunchHostFunc(
                  s, [](void*) { the_engine().fail_sticky(status::launch_failure); }, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorLaunchFailure);
  }
}

struct heard {
  int functions = 0;
  cudaError_t status = cudaSuccess;
  int callbacks = 0;
};

TEST(FailedDevice, IsToldToCallbacksAndNotToHostFunctions) {
  RecordProperty("rule", "callback-on-error");
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const s = run.add_stream("s");
  static heard all;
  all = {};
  EXPECT_EQ(cudaLaunchHostFunc(
                s, [](void*) { the_engine().fail_sticky(status::launch_failure); }, nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(
                s, [](void*) { ++all.functions; }, nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaStreamAddCallback(
                s,
                [](cudaStream_t, cudaError_t status, void*) {
                  ++all.callbacks;
                  all.status = status;
                },
                nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorLaunchFailure);
  EXPECT_EQ(all.functions, 0);
  EXPECT_EQ(all.callbacks, 1);
  EXPECT_EQ(all.status, cudaErrorLaunchFailure);
}

} // namespace
} // namespace mockgpu::tests
