// Streams and events: which operations are ordered, and when the host may know.
#include "gpu.hpp"

using namespace conformance;

namespace {

constexpr int n = 1000;

class DefaultStream : public gpu_test {};
class Streams : public gpu_test {};
class Events : public gpu_test {};
class HostFunctions : public gpu_test {};
class Launches : public gpu_test {};

TEST_F(DefaultStream, WaitsForEarlierWorkOfBlockingStreams) {
  rule("D1 legacy-barrier");
  device_ints x(n), y(n);
  stream const blocking(GPU(StreamDefault));
  ASSERT_GPU(launch_delay(blocking));
  ASSERT_GPU(launch_fill(x.data(), n, 7, blocking));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, nullptr));
  EXPECT_EQ(y.read(), all(n, 7));
}

TEST_F(DefaultStream, HoldsBackLaterWorkOfBlockingStreams) {
  rule("D1 legacy-barrier");
  device_ints x(n), y(n);
  stream const blocking(GPU(StreamDefault));
  ASSERT_GPU(launch_delay(nullptr));
  ASSERT_GPU(launch_fill(x.data(), n, 8, nullptr));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, blocking));
  EXPECT_EQ(y.read(), all(n, 8));
}

TEST_F(DefaultStream, OrdersTwoBlockingStreamsThroughItself) {
  rule("D1 legacy-barrier");
  device_ints x(n), y(n);
  stream const first(GPU(StreamDefault)), second(GPU(StreamDefault));
  ASSERT_GPU(launch_delay(first));
  ASSERT_GPU(launch_fill(x.data(), n, 9, first));
  ASSERT_GPU(launch_add(x.data(), n, 1, nullptr));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, second));
  EXPECT_EQ(y.read(), all(n, 10));
}

TEST_F(DefaultStream, EventRecordedInItCoversBlockingStreams) {
  rule("D1 legacy-barrier");
  device_ints x(n), y(n);
  stream const blocking(GPU(StreamDefault));
  stream const other;
  event const done;
  ASSERT_GPU(launch_delay(blocking));
  ASSERT_GPU(launch_fill(x.data(), n, 11, blocking));
  ASSERT_GPU(GPU(EventRecord)(done, nullptr));
  ASSERT_GPU(GPU(StreamWaitEvent)(other, done, 0));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, other));
  EXPECT_EQ(y.read(), all(n, 11));
}

#if !defined(ASSAY_CONFORMANCE_HIP)
TEST_F(DefaultStream, HandleOneNamesIt) {
  rule("D1 legacy-barrier");
  device_ints x(n), y(n);
  stream const blocking(GPU(StreamDefault));
  ASSERT_GPU(launch_delay(blocking));
  ASSERT_GPU(launch_fill(x.data(), n, 12, blocking));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, cudaStreamLegacy));
  EXPECT_EQ(y.read(), all(n, 12));
}
#endif

TEST_F(DefaultStream, DoesNotWaitForNonBlockingStreams) {
  rule("D1 nonblocking-exempt");
  device_ints x(n);
  stream const other;
  event const busy;
  ASSERT_GPU(launch_delay(other));
  ASSERT_GPU(GPU(EventRecord)(busy, other));
  ASSERT_GPU(launch_fill(x.data(), n, 1, nullptr));
  ASSERT_GPU(GPU(StreamSynchronize)(nullptr));
  gpuError_t const state = GPU(EventQuery)(busy);
  if (state == GPU(Success))
    EXPECT_TRUE(may_finish_at_once) << "the default stream waited for a non-blocking stream";
  else
    EXPECT_EQ(state, GPU(ErrorNotReady));
  EXPECT_EQ(x.read(), all(n, 1));
}

TEST_F(Streams, RunTheirWorkInOrder) {
  rule("D1 stream-order");
  device_ints x(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 1, s));
  ASSERT_GPU(launch_add(x.data(), n, 2, s));
  ASSERT_GPU(launch_add(x.data(), n, 3, s));
  EXPECT_EQ(x.read(), all(n, 6));
}

TEST_F(Streams, SynchroniseCoversTheirWork) {
  rule("D6 stream-synchronise");
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 5, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_EQ(host[0], 5);
  EXPECT_EQ(host[n - 1], 5);
}

TEST_F(Streams, DeviceSynchroniseCoversNonBlockingStreams) {
  rule("D6 device-synchronise");
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 6, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  EXPECT_EQ(host[n / 2], 6);
}

TEST_F(Streams, QueryThatSucceedsIsASynchronise) {
  rule("D5 query-synchronises");
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 4, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  gpuError_t state = GPU(StreamQuery)(s);
  int waits = 0;
  while (state == GPU(ErrorNotReady)) {
    ++waits;
    state = GPU(StreamQuery)(s);
  }
  ASSERT_EQ(state, GPU(Success));
  EXPECT_TRUE(waits > 0 || may_finish_at_once);
  EXPECT_EQ(host[n - 1], 4);
}

TEST_F(Streams, QueryOfAnIdleStreamSucceeds) {
  rule("D6 stream-query");
  stream const s;
  EXPECT_GPU(GPU(StreamQuery)(s));
}

TEST_F(Streams, DestroyedWithQueuedWorkStillRunIt) {
  rule("D6 stream-destroy");
  device_ints x(n);
  gpuStream_t s = nullptr;
  ASSERT_GPU(GPU(StreamCreateWithFlags)(&s, GPU(StreamNonBlocking)));
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 3, s));
  ASSERT_GPU(GPU(StreamDestroy)(s));
  EXPECT_EQ(x.read(), all(n, 3));
}

TEST_F(Streams, KnowTheirFlags) {
  rule("D1 stream-flags");
  stream const blocking(GPU(StreamDefault)), other;
  unsigned flags = 77;
  ASSERT_GPU(GPU(StreamGetFlags)(blocking, &flags));
  EXPECT_EQ(flags, unsigned(GPU(StreamDefault)));
  ASSERT_GPU(GPU(StreamGetFlags)(other, &flags));
  EXPECT_EQ(flags, unsigned(GPU(StreamNonBlocking)));
}

TEST_F(Events, OrderTwoStreams) {
  rule("D5 event-wait");
  device_ints x(n), y(n);
  stream const producer, consumer;
  event const ready;
  ASSERT_GPU(launch_delay(producer));
  ASSERT_GPU(launch_fill(x.data(), n, 21, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  EXPECT_EQ(y.read(), all(n, 21));
}

TEST_F(Events, WaitKeepsTheRecordOfItsCall) {
  rule("D5 wait-at-call");
  device_ints x(n), y(n);
  stream const producer, consumer, later;
  event const ready;
  ASSERT_GPU(launch_delay(producer));
  ASSERT_GPU(launch_fill(x.data(), n, 22, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(GPU(EventRecord)(ready, later)); // an idle stream: complete at once
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  EXPECT_EQ(y.read(), all(n, 22));
}

TEST_F(Events, LaterRecordReplacesTheEarlier) {
  rule("D5 record-at-call");
  device_ints x(n), y(n);
  stream const producer, consumer, idle;
  event const ready;
  ASSERT_GPU(GPU(EventRecord)(ready, idle));
  ASSERT_GPU(launch_delay(producer));
  ASSERT_GPU(launch_fill(x.data(), n, 23, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  EXPECT_EQ(y.read(), all(n, 23));
}

TEST_F(Events, RecordCapturesTheStreamAtItsCall) {
  rule("D5 record-at-call");
  stream const s;
  event const early;
  ASSERT_GPU(GPU(EventRecord)(early, s));
  ASSERT_GPU(launch_delay(s));
  // What was queued behind the record does not hold the event back.
  ASSERT_GPU(GPU(EventSynchronize)(early));
  EXPECT_GPU(GPU(EventQuery)(early));
  gpuError_t const state = GPU(StreamQuery)(s);
  EXPECT_TRUE(state == GPU(ErrorNotReady) || may_finish_at_once);
  ASSERT_GPU(GPU(DeviceSynchronize)());
}

TEST_F(Events, NeverRecordedAreComplete) {
  rule("D5 unrecorded-is-complete");
  event const fresh;
  stream const s;
  EXPECT_GPU(GPU(EventQuery)(fresh));
  EXPECT_GPU(GPU(EventSynchronize)(fresh));
  EXPECT_GPU(GPU(StreamWaitEvent)(s, fresh, 0));
  EXPECT_GPU(GPU(StreamSynchronize)(s));
}

TEST_F(Events, QueryThatSucceedsIsASynchronise) {
  rule("D5 query-synchronises");
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  event const done;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 24, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  ASSERT_GPU(GPU(EventRecord)(done, s));
  gpuError_t state = GPU(EventQuery)(done);
  while (state == GPU(ErrorNotReady)) state = GPU(EventQuery)(done);
  ASSERT_EQ(state, GPU(Success));
  EXPECT_EQ(host[0], 24);
}

TEST_F(Events, DestroyedEarlyStillHoldWaitsThatWereIssued) {
  rule("D5 early-destroy-keeps-waits");
  device_ints x(n), y(n);
  stream const producer, consumer;
  gpuEvent_t ready = nullptr;
  ASSERT_GPU(GPU(EventCreateWithFlags)(&ready, GPU(EventDisableTiming)));
  ASSERT_GPU(launch_delay(producer));
  ASSERT_GPU(launch_fill(x.data(), n, 25, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(GPU(EventDestroy)(ready));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  EXPECT_EQ(y.read(), all(n, 25));
}

TEST_F(Events, ElapsedTimeNeedsTiming) {
  rule("D5 elapsed-time-errors");
  event const first, second; // timing is disabled
  ASSERT_GPU(GPU(EventRecord)(first, nullptr));
  ASSERT_GPU(GPU(EventRecord)(second, nullptr));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  float milliseconds = -1;
  EXPECT_EQ(GPU(EventElapsedTime)(&milliseconds, first, second), GPU(ErrorInvalidResourceHandle));
  (void)GPU(GetLastError)();
}

TEST_F(Events, ElapsedTimeNeedsBothRecords) {
  rule("D5 elapsed-time-errors");
  event const first(GPU(EventDefault)), second(GPU(EventDefault));
  ASSERT_GPU(GPU(EventRecord)(first, nullptr));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  float milliseconds = -1;
  EXPECT_EQ(GPU(EventElapsedTime)(&milliseconds, first, second), GPU(ErrorInvalidResourceHandle));
  (void)GPU(GetLastError)();
}

TEST_F(Events, ElapsedTimeIsNotNegative) {
  rule("D5 elapsed-time-errors");
  event const first(GPU(EventDefault)), second(GPU(EventDefault));
  stream const s;
  ASSERT_GPU(GPU(EventRecord)(first, s));
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(GPU(EventRecord)(second, s));
  ASSERT_GPU(GPU(EventSynchronize)(second));
  float milliseconds = -1;
  ASSERT_GPU(GPU(EventElapsedTime)(&milliseconds, first, second));
  EXPECT_GE(milliseconds, 0.0f);
}

// HIP 5 declares the call and its library lacks it.
#if !defined(ASSAY_CONFORMANCE_HIP) || HIP_VERSION_MAJOR >= 6
struct host_step {
  int* seen;
  int const* source;
};
void note_value(void* data) {
  auto const* const step = static_cast<host_step const*>(data);
  *step->seen = *step->source;
}

TEST_F(HostFunctions, RunInStreamOrder) {
  rule("D6 host-function-in-order");
  device_ints x(1);
  pinned_ints host(1);
  stream const s;
  int seen = 0;
  host_step step{&seen, host.data()};
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), 1, 31, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  ASSERT_GPU(GPU(LaunchHostFunc)(s, note_value, &step));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_EQ(seen, 31);
}

void set_to_32(void* data) { *static_cast<int*>(data) = 32; }

TEST_F(HostFunctions, HoldBackLaterWorkOfTheirStream) {
  rule("D6 host-function-in-order");
  device_ints x(1);
  pinned_ints host(1);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(GPU(LaunchHostFunc)(s, set_to_32, host.data()));
  ASSERT_GPU(GPU(MemcpyAsync)(x.data(), host.data(), x.bytes(), GPU(MemcpyHostToDevice), s));
  EXPECT_EQ(x.read(), all(1, 32));
}
#endif

struct callback_record {
  int calls = 0;
  gpuError_t status = GPU(ErrorUnknown);
};
void note_status(gpuStream_t, gpuError_t status, void* data) {
  auto* const record = static_cast<callback_record*>(data);
  ++record->calls;
  record->status = status;
}

TEST_F(HostFunctions, CallbackGetsTheStatus) {
  rule("D6 callback");
  stream const s;
  callback_record record;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(GPU(StreamAddCallback)(s, note_status, &record, 0));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_EQ(record.calls, 1);
  EXPECT_EQ(record.status, GPU(Success));
}

TEST_F(Launches, CopyTheirArgumentsAtTheCall) {
  rule("launch-copies-arguments");
  device_ints x(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill_and_forget(x.data(), n, 41, s));
  EXPECT_EQ(x.read(), all(n, 41));
}

TEST_F(Launches, CoverAGridOfThreeDimensions) {
  rule("launch-indices");
  device_ints x(6 * 4 * 4);
  ASSERT_GPU(launch_index_sum(x.data(), nullptr));
  std::vector<int> expected;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 6; ++i) expected.push_back(i + 10 * j + 100 * k);
  EXPECT_EQ(x.read(), expected);
}

TEST_F(Launches, BarriersOrderTheThreadsOfABlock) {
  rule("D10 block-barrier");
  device_ints x(96);
  std::vector<int> values(96), expected(96);
  for (int i = 0; i < 96; ++i) {
    values[static_cast<std::size_t>(i)] = i;
    expected[static_cast<std::size_t>(i / 32 * 32 + 31 - i % 32)] = i;
  }
  ASSERT_GPU(GPU(Memcpy)(x.data(), values.data(), x.bytes(), GPU(MemcpyHostToDevice)));
  ASSERT_GPU(launch_reverse(x.data(), 3, nullptr));
  EXPECT_EQ(x.read(), expected);
}

TEST_F(Launches, AtomicsOfAllThreadsCount) {
  rule("D10 atomics-do-not-race");
  device_ints x(1);
  stream const first, second;
  event const zeroed;
  ASSERT_GPU(launch_fill(x.data(), 1, 0, first));
  ASSERT_GPU(GPU(EventRecord)(zeroed, first));
  ASSERT_GPU(GPU(StreamWaitEvent)(second, zeroed, 0));
  // Two streams at once: atomic operations do not race with each other.
  ASSERT_GPU(launch_count(x.data(), first));
  ASSERT_GPU(launch_count(x.data(), second));
  EXPECT_EQ(x.read(), all(1, 1000));
}

} // namespace
