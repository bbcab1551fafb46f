// Errors that nobody looks at, errors charged to the wrong party, and waits for nothing.
#include <gmock/gmock.h>

#include "mockgpu/abi.h"
#include "mockgpu/annotate.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void entry() {}
void run_block(void (*)(void), void*) {}

/// A launch as `<<<>>>` makes it (no text), or as a call whose status the program gets.
void launch(unsigned threads, char const* text = nullptr) {
  static_cast<void>(cudaGetLastError());
  mockgpu_argument const layout{};
  mockgpu_launch request{};
  request.entry_point = "cudaLaunchKernel";
  request.text = text;
  request.file = "a.cu";
  request.line = 7;
  for (unsigned axis = 0; axis < 3; ++axis) request.grid[axis] = request.block[axis] = 1;
  request.block[0] = threads;
  request.entry = entry;
  request.run_block = run_block;
  request.layout = &layout;
  request.closure_bytes = 8;
  static_cast<void>(mockgpu_launch_kernel(&request));
}

TEST(IgnoredError, IsALaunchWithoutStatusWhoseErrorNobodyAskedFor) { // twins: the next three
  scripted_run run;
  launch(4096);
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("ignored-error"));
  EXPECT_THAT(found[0].message, HasSubstr("failed with status 9, and the program never asked"));
  EXPECT_EQ(found[0].second.location.line, 7u);
  static_cast<void>(cudaGetLastError());
}

TEST(IgnoredError, IsNoneOnceTheProgramAsked) {
  scripted_run run;
  launch(4096);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_THAT(run.finish(), IsEmpty());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

TEST(IgnoredError, IsNoneWhereTheCallReturnsItsStatus) {
  scripted_run run;
  launch(4096, "entry, grid, block");
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_THAT(kinds(run.finish()), ElementsAre("invalid-handle"));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST(IgnoredError, IsNoneForALaunchThatSucceeds) {
  scripted_run run;
  launch(32);
  EXPECT_THAT(run.finish(), IsEmpty());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(ForeignError, IsChargedToAUseThatDidNotCauseIt) { // twin: IsNoneWhereTheUseCausedIt
  scripted_run run;
  auto const s = run.add_stream("s");
  void* memory = nullptr;
  EXPECT_EQ(cudaMemcpyAsync(&memory, &memory, 8, static_cast<cudaMemcpyKind>(77), s),
            cudaErrorInvalidMemcpyDirection);
  mockgpu_open_use("program", s, 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  mockgpu_close_use();
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("foreign-error"));
  EXPECT_EQ(found[0].message, "'cudaGetLastError' charges 'program' with status 21 of "
                              "'cudaMemcpyAsync', which was pending before it");
}

TEST(ForeignError, IsNoneWhereTheUseCausedIt) {
  scripted_run run;
  auto const s = run.add_stream("s");
  void* memory = nullptr;
  mockgpu_open_use("program", s, 1);
  EXPECT_EQ(cudaMemcpyAsync(&memory, &memory, 8, static_cast<cudaMemcpyKind>(77), s),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  mockgpu_close_use();
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(ForeignError, IsNoneWhereTheCallerDrainedIt) {
  scripted_run run;
  auto const s = run.add_stream("s");
  void* memory = nullptr;
  EXPECT_EQ(cudaMemcpyAsync(&memory, &memory, 8, static_cast<cudaMemcpyKind>(77), s),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  mockgpu_open_use("program", s, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  mockgpu_close_use();
  EXPECT_THAT(run.finish(), IsEmpty());
}

options with_advice() {
  options wanted;
  wanted.advice = true;
  return wanted;
}

TEST(SuperfluousWait, IsAWaitForWhatWasWaitedFor) { // twin: IsNoneWhereThereIsSomethingToWaitFor
  auto const found = in_every_schedule(
      [](scripted_run& run) {
        auto const s = run.add_stream("s");
        region const x = run.allocate(64);
        run.write(s, x);
        run.synchronize(s);
        run.synchronize(s);
      },
      with_advice());
  ASSERT_THAT(kinds(found), ElementsAre("superfluous-wait"));
  EXPECT_TRUE(found[0].advice);
}

TEST(SuperfluousWait, IsNoneWhereThereIsSomethingToWaitFor) {
  EXPECT_THAT(in_every_schedule(
                  [](scripted_run& run) {
                    auto const s = run.add_stream("s");
                    region const x = run.allocate(64);
                    run.write(s, x);
                    run.synchronize(s);
                    run.write(s, x);
                    run.synchronize(s);
                  },
                  with_advice()),
              IsEmpty());
}

/// Two uses of one slab on two streams, the second after the first where `ordered`.
std::vector<finding> two_uses(bool ordered) {
  return in_every_schedule([ordered](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const slab = run.allocate(512, "workspace");
    mockgpu_sub_array(slab.base, 256, 8, "u");
    mockgpu_open_use("first", a, 1);
    run.write(a, slab.part(0, 256));
    mockgpu_close_use();
    if (ordered) run.wait(b, run.record(a));
    mockgpu_open_use("second", b, 1);
    run.write(b, slab.part(0, 256));
    mockgpu_close_use();
  });
}

TEST(WorkspaceUnordered, IsTwoUsesThatNothingOrders) { // twin: IsNoneBehindAWait
  auto const found = two_uses(false);
  ASSERT_THAT(kinds(found), ElementsAre("workspace-unordered"));
  EXPECT_THAT(found[0].message, HasSubstr("by 'first' and 'second' are not ordered: "));
  EXPECT_TRUE(found[0].edge);
}

TEST(WorkspaceUnordered, IsNoneBehindAWait) { EXPECT_THAT(two_uses(true), IsEmpty()); }

} // namespace
} // namespace mockgpu::tests
