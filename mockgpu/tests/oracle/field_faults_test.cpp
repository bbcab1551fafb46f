// Faults as they happened in programs of the field, each as its smallest program and a correct
// twin.
#include <gmock/gmock.h>

#include "engine/scripted_run.hpp"
#include "mockgpu/annotate.h"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A pair of programs: `broken` leaves out one call of the correct one.
std::vector<finding> run_variant(void (*body)(scripted_run&, bool), bool broken) {
  return in_every_schedule([=](scripted_run& run) { body(run, broken); });
}

void results_without_a_wait_at_the_end(scripted_run& run, bool broken) {
  static char result[64];
  auto const a = run.add_stream("a"), b = run.add_stream("b");
  region const x = run.allocate(64), y = run.allocate(64, "y");
  run.write(a, x);
  run.write(b, y);
  run.copy({result, 64}, x, cudaMemcpyDeviceToHost, a);
  run.synchronize(broken ? b : a); // waits for one of the program's streams only
  run.host_reads(result, 64);
  run.synchronize(a);
}
TEST(FieldFaults, ReportsResultsThatAreReadWhenAnotherStreamHasBeenWaitedFor) {
  EXPECT_THAT(kinds(run_variant(results_without_a_wait_at_the_end, true)),
              ElementsAre("host-race"));
  EXPECT_THAT(run_variant(results_without_a_wait_at_the_end, false), IsEmpty());
}

void callback_on_the_default_stream(scripted_run& run, bool broken) {
  static scripted_run* current;
  static region shared;
  current = &run;
  auto const worker = run.add_stream("worker"); // non-blocking: no barrier orders it
  shared = run.allocate_pinned(64);
  run.host_writes(shared.base, 64);
  ASSERT_EQ(
      cudaLaunchHostFunc(
          nullptr, [](void*) { current->host_writes(shared.base, shared.size_bytes); }, nullptr),
      cudaSuccess);
  if (!broken) run.wait(worker, run.record(nullptr));
  run.read(worker, shared); // the next state of the program
}
TEST(FieldFaults, ReportsACallbackOnTheDefaultStreamBesideTheNextState) {
  auto const found = run_variant(callback_on_the_default_stream, true);
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].rule, "nonblocking-exempt");
  EXPECT_THAT(run_variant(callback_on_the_default_stream, false), IsEmpty());
}

void zero_fill_of_pool_memory(scripted_run& run, bool broken) {
  auto const a = run.add_stream("a");
  region const x = run.allocate_async(64, a);
  // The synchronous form runs in the default stream, which a non-blocking stream ignores.
  if (broken)
    ASSERT_EQ(cudaMemset(x.base, 0, 64), cudaSuccess);
  else
    ASSERT_EQ(cudaMemsetAsync(x.base, 0, 64, a), cudaSuccess);
  run.kernel(a, {updates(x)});
  ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
}
TEST(FieldFaults, ReportsAZeroFillInFrontOfTheAllocationInStreamOrder) {
  EXPECT_THAT(
      kinds(run_variant(zero_fill_of_pool_memory, true)),
      UnorderedElementsAre("use-before-alloc", "stream-race", "undefined-read", "use-after-free"));
  EXPECT_THAT(run_variant(zero_fill_of_pool_memory, false), IsEmpty());
}

void halo_exchange(scripted_run& run, bool broken) {
  auto const compute = run.add_stream("compute"), pack = run.add_stream("pack");
  region const field = run.allocate(256, "field"), buffer = run.allocate(64, "buffer");
  run.write(compute, field);
  if (!broken) run.wait(pack, run.record(compute));
  run.kernel(pack, {reads(field.part(0, 64)), writes(buffer)});
}
TEST(FieldFaults, ReportsAHaloExchangeThatStartsBeforeItsProducer) {
  auto const found = run_variant(halo_exchange, true);
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].memory.name, "field");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 64}}));
  EXPECT_THAT(run_variant(halo_exchange, false), IsEmpty());
}

void unpacking(scripted_run& run, bool broken) {
  auto const unpack = run.add_stream("unpack"), compute = run.add_stream("compute");
  region const field = run.allocate(256, "field"), arrived = run.allocate(64, "arrived");
  run.kernel(unpack, {reads(arrived), writes(field.part(192, 256))});
  if (!broken) run.synchronize(unpack);
  run.read(compute, field);
}
TEST(FieldFaults, ReportsAConsumerThatDoesNotWaitForTheUnpacking) {
  EXPECT_THAT(kinds(run_variant(unpacking, true)), ElementsAre("stream-race"));
  EXPECT_THAT(run_variant(unpacking, false), IsEmpty());
}

void upload_beside_own_streams(scripted_run& run, bool broken) {
  static char source[64];
  region const x = run.allocate(64);
  auto const own = run.add_stream("own");
  run.host_writes(source, 64);
  ASSERT_EQ(cudaMemcpy(x.base, source, 64, cudaMemcpyHostToDevice), cudaSuccess);
  if (!broken) run.synchronize(nullptr);
  run.read(own, x);
}
TEST(FieldFaults, ReportsAnUploadThatIsNotOrderedWithTheProgramsOwnStreams) {
  EXPECT_THAT(kinds(run_variant(upload_beside_own_streams, true)), ElementsAre("stream-race"));
  EXPECT_THAT(run_variant(upload_beside_own_streams, false), IsEmpty());
}

void plain_free_of_pool_memory(scripted_run& run, bool broken) {
  auto const a = run.add_stream("a");
  region const x = run.allocate_async(64, a);
  run.write(a, x);
  if (broken)
    ASSERT_EQ(cudaFree(x.base), cudaSuccess); // of pool memory: waits for nothing
  else
    ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
}
TEST(FieldFaults, ReportsAPlainFreeOfPoolMemoryInUse) {
  EXPECT_THAT(kinds(run_variant(plain_free_of_pool_memory, true)), ElementsAre("use-after-free"));
  EXPECT_THAT(run_variant(plain_free_of_pool_memory, false), IsEmpty());
}

void second_call_with_larger_sizes(scripted_run& run, bool broken) {
  auto const a = run.add_stream("a");
  region workspace = run.allocate_raw(128, "workspace");
  run.write(a, workspace.part(0, 128));
  if (!broken) {
    run.synchronize(a);
    ASSERT_EQ(cudaFree(workspace.base), cudaSuccess);
    workspace = run.allocate_raw(192, "workspace");
  }
  run.write(a, region{workspace.base, 192});
}
TEST(FieldFaults, ReportsAWorkspaceThatWasNotMadeLargerForTheSecondCall) {
  auto const found = run_variant(second_call_with_larger_sizes, true);
  ASSERT_THAT(kinds(found), ElementsAre("out-of-bounds"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{128, 192}}));
  EXPECT_THAT(run_variant(second_call_with_larger_sizes, false), IsEmpty());
}

void accumulation(scripted_run& run, bool broken) {
  auto const a = run.add_stream("a");
  region const sum = run.allocate_raw(64, "sum");
  if (!broken) {
    ASSERT_EQ(cudaMemsetAsync(sum.base, 0, 64, a), cudaSuccess);
  }
  run.kernel(a, {updates(sum)});
}
TEST(FieldFaults, ReportsAnAccumulationIntoMemoryThatNothingHasZeroed) {
  EXPECT_THAT(kinds(run_variant(accumulation, true)), ElementsAre("undefined-read"));
  EXPECT_THAT(run_variant(accumulation, false), IsEmpty());
}

void double_buffer(scripted_run& run, bool broken) {
  static char host[2][64];
  auto const a = run.add_stream("a");
  region const x = run.allocate(64);
  cudaEvent_t done[2] = {run.add_event(), run.add_event()};
  for (int round = 0; round < 4; ++round) {
    int const slot = round % 2;
    if (round >= 2 && !broken) {
      ASSERT_EQ(cudaEventSynchronize(done[slot]), cudaSuccess);
    }
    run.host_writes(host[slot], 64);
    run.copy(x, {host[slot], 64}, cudaMemcpyHostToDevice, a);
    run.record(done[slot], a);
  }
  run.synchronize(a);
}
TEST(FieldFaults, ReportsAStagingBufferThatIsFilledAgainBeforeItsCopy) {
  EXPECT_THAT(kinds(run_variant(double_buffer, true)), ElementsAre("host-race"));
  EXPECT_THAT(run_variant(double_buffer, false), IsEmpty());
}

} // namespace
} // namespace mockgpu::tests
