// Default streams: the legacy one, and one per host thread.
#include <gmock/gmock.h>

#include <thread>

#include "hip/hip_runtime_api.h"
#include "scripted_run.hpp"

// What code that is compiled with per-thread default streams calls.
extern "C" {
cudaError_t cudaMemcpyAsync_ptsz(void*, void const*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemset_ptds(void*, int, size_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaEventRecord_ptsz(cudaEvent_t, cudaStream_t);
hipError_t hipMemset_spt(void*, int, size_t);
hipError_t hipStreamSynchronize_spt(hipStream_t);
}

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PerThreadStream, OrdersWithTheLegacyStreamInBothDirections) {
  RecordProperty("rule", "per-thread");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                run.write(cudaStreamPerThread, x);
                run.write(cudaStreamLegacy, x);
                run.write(cudaStreamPerThread, x);
              }),
              IsEmpty());
}

TEST(PerThreadStream, ReportsABlockingStreamBesideIt) { // twin: OrdersWithTheLegacyStream...
  RecordProperty("rule", "per-thread");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const s = run.add_stream("s", /*blocking=*/true);
    region const x = run.allocate(64);
    run.write(cudaStreamPerThread, x);
    run.write(s, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_THAT(to_text(found[0]), HasSubstr("per-thread default stream"));
}

TEST(PerThreadStream, ReportsTheStreamsOfTwoThreads) { // twin: AcceptsTwoThreadsThatWait
  RecordProperty("rule", "per-thread");
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    run.write(cudaStreamPerThread, x);
    std::thread([&] { run.write(cudaStreamPerThread, x); }).join();
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(PerThreadStream, AcceptsTwoThreadsThatWait) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                std::thread([&] {
                  run.write(cudaStreamPerThread, x);
                  run.synchronize(cudaStreamPerThread);
                }).join();
                run.write(cudaStreamPerThread, x);
              }),
              IsEmpty());
}

TEST(PerThreadStream, IsWhatNullMeansInTheCallsOfPerThreadCode) {
  RecordProperty("rule", "per-thread");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const s = run.add_stream("s", /*blocking=*/true);
    region const x = run.allocate(64), y = run.allocate(64, "y");
    EXPECT_EQ(cudaMemcpyAsync_ptsz(x.base, y.base, 64, cudaMemcpyDeviceToDevice, nullptr),
              cudaSuccess);
    run.write(s, x); // the legacy stream would come first
    EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(PerThreadStream, AcceptsPerThreadCodeBesideLegacyCode) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                EXPECT_EQ(cudaMemset_ptds(x.base, 0, 64), cudaSuccess);
                run.write(nullptr, x);
                cudaEvent_t const event = run.add_event();
                EXPECT_EQ(cudaEventRecord_ptsz(event, nullptr), cudaSuccess);
                auto const s = run.add_stream("s");
                run.wait(s, event); // after the per-thread stream only
                EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
                run.write(s, x);
              }),
              IsEmpty());
}

TEST(PerThreadStream, OrdersWithTheNullStreamInHip) { // D8: it is a blocking stream
  RecordProperty("rule", "per-thread");
  options hip;
  hip.dialect = "hip-7";
  EXPECT_THAT(in_every_schedule(
                  [](scripted_run& run) {
                    region const x = run.allocate(64);
                    EXPECT_EQ(hipMemset_spt(x.base, 0, 64), hipSuccess);
                    run.write(nullptr, x);
                    EXPECT_EQ(hipStreamSynchronize_spt(nullptr), hipSuccess);
                  },
                  hip),
              IsEmpty());
}

TEST(PerThreadStream, CannotBeDestroyed) {
  auto const found = in_every_schedule([](scripted_run& run) {
    run.write(cudaStreamPerThread, run.allocate(64));
    EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
  });
  ASSERT_THAT(kinds(found), ElementsAre("invalid-handle"));
  EXPECT_THAT(found[0].message, HasSubstr("the default stream, which cannot be destroyed"));
}

} // namespace
} // namespace mockgpu::tests
