// Faulty twins of conformance cases: what a device does not show, the mock reports. They prove that
// the silence of the correct cases means something.
#include "conformance/gpu.hpp"
#include "mock_environment.hpp"

#include <algorithm>
#include <string>

using namespace conformance;

namespace {

constexpr int n = 1000;

class Twins : public gpu_test {
protected:
  /// One finding of this kind or more, and none of another; both sides named.
  static void expect_only(std::string const& kind, std::string const& first,
                          std::string const& second) {
    EXPECT_GPU(GPU(DeviceSynchronize)());
    auto const found = take_findings();
    EXPECT_FALSE(found.empty());
    for (auto const& one : found) {
      EXPECT_EQ(one.kind, kind) << mockgpu::to_text(one);
      EXPECT_EQ(one.first.name, first) << mockgpu::to_text(one);
      EXPECT_EQ(one.second.name, second) << mockgpu::to_text(one);
      EXPECT_TRUE(one.edge.has_value()) << mockgpu::to_text(one);
    }
  }
};

TEST_F(Twins, MissingEventIsAStreamRace) { // twin: Events.OrderTwoStreams
  device_ints x(n), y(n);
  stream const producer, consumer;
  ASSERT_GPU(GPU(Memset)(x.data(), 0, x.bytes()));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  ASSERT_GPU(launch_add(x.data(), n, 1, producer));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  expect_only("stream-race", "conformance::add", "conformance::copy_elements");
}

TEST_F(Twins,
       NonBlockingStreamRacesWithTheDefaultStream) { // twin: DefaultStream.WaitsForEarlierWork...
  device_ints x(n), y(n);
  stream const other;
  ASSERT_GPU(GPU(Memset)(x.data(), 0, x.bytes()));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  ASSERT_GPU(launch_add(x.data(), n, 1, other));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, nullptr));
  expect_only("stream-race", "conformance::add", "conformance::copy_elements");
}

TEST_F(Twins, WaitIssuedBeforeTheRecordOrdersNothing) { // twin: Events.WaitKeepsTheRecordOfItsCall
  device_ints x(n), y(n);
  stream const producer, consumer;
  event const ready;
  ASSERT_GPU(GPU(Memset)(x.data(), 0, x.bytes()));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(launch_add(x.data(), n, 1, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  expect_only("stream-race", "conformance::add", "conformance::copy_elements");
}

TEST_F(
    Twins,
    RecordOnAnotherStreamReplacesTheOneThatMattered) { // twin: Events.LaterRecordReplacesTheEarlier
  device_ints x(n), y(n);
  stream const producer, consumer, idle;
  event const ready;
  ASSERT_GPU(GPU(Memset)(x.data(), 0, x.bytes()));
  ASSERT_GPU(GPU(DeviceSynchronize)());
  ASSERT_GPU(launch_add(x.data(), n, 1, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, producer));
  ASSERT_GPU(GPU(EventRecord)(ready, idle));
  ASSERT_GPU(GPU(StreamWaitEvent)(consumer, ready, 0));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, consumer));
  expect_only("stream-race", "conformance::add", "conformance::copy_elements");
}

TEST_F(Twins,
       HostReadBeforeTheWaitIsAHostRace) { // twin: Copies.AsynchronousToPinnedIsThereAfterAWait
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  ASSERT_GPU(launch_fill(x.data(), n, 3, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  int const volatile early = host[n - 1];
  (void)early;
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  auto const found = take_findings();
  ASSERT_FALSE(found.empty());
  for (auto const& one : found) {
    EXPECT_EQ(one.kind, "host-race") << mockgpu::to_text(one);
    EXPECT_EQ(one.byte_begin, sizeof(int) * (n - 1));
    EXPECT_EQ(one.byte_end, sizeof(int) * n);
  }
}

TEST_F(Twins, UseBehindAStreamOrderedFreeIsReported) { // twin: Pools.AllocationIsUsableInItsStream
  stream const s;
  int* x = nullptr;
  ASSERT_GPU(GPU(MallocAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, s));
  ASSERT_GPU(GPU(FreeAsync)(x, s));
  ASSERT_GPU(launch_fill(x, n, 1, s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  auto const found = take_findings();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](auto const& one) { return one.kind.starts_with("use-after-free"); }));
  for (auto const& one : found)
    EXPECT_TRUE(one.kind.starts_with("use-after-free")) << mockgpu::to_text(one);
}

} // namespace
