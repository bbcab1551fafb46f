// The life of memory: allocation, bounds, content, release, leaks, slabs.
#include <gmock/gmock.h>

#include "mockgpu/annotate.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// ---- stream-ordered allocation
// --------------------------------------------------------------------------------

TEST(AsyncMemory, AcceptsUseAndFreeOnItsStream) {
  EXPECT_THAT(in_every_schedule(
                  [](scripted_run& run) {
                    auto const a = run.add_stream("a");
                    for (int call = 0; call < 3; ++call) {
                      region const x = run.allocate_async(64, a);
                      run.kernel(a, {writes(x), reads(x)});
                      ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
                    }
                    ASSERT_EQ(cudaStreamDestroy(a), cudaSuccess);
                  },
                  {}, /*count_leaks=*/true),
              IsEmpty());
}

TEST(AsyncMemory, ReportsUseOnAnotherStreamBeforeTheAllocation) { // twin: AcceptsUseAfterAnEvent
  RecordProperty("rule", "stream-ordered-alloc");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a);
    run.write(b, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("use-before-alloc"));
  EXPECT_EQ(found[0].first.name, "cudaMallocAsync");
  EXPECT_EQ(found[0].rule, "stream-ordered-alloc");
}

TEST(AsyncMemory, ReportsAFreeOnAnotherStreamBeforeTheAllocation) { // twin: AcceptsUseAfterAnEvent
  RecordProperty("rule", "stream-ordered-alloc");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a), y = run.allocate_async(64, a);
    run.write(a, y);
    ASSERT_EQ(cudaFreeAsync(x.base, b), cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("use-before-alloc"));
  EXPECT_EQ(found[0].first.name, "cudaMallocAsync");
  EXPECT_EQ(found[0].second.name, "cudaFreeAsync");
  EXPECT_THAT(found[0].message, HasSubstr("frees bytes 0 to 64 of"));
}

TEST(AsyncMemory, AcceptsUseAfterAnEvent) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate_async(64, a);
                run.wait(b, run.record(a));
                run.write(b, x);
                run.wait(a, run.record(b));
                ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
              }),
              IsEmpty());
}

TEST(AsyncMemory, ReportsUseThatIsNotOrderedBeforeTheFree) {
  RecordProperty("rule", "stream-ordered-free");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a);
    run.wait(b, run.record(a));
    run.write(b, x);
    ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("use-after-free"));
  EXPECT_EQ(found[0].rule, "stream-ordered-free");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 64}}));
  ASSERT_TRUE(found[0].edge);
}

TEST(AsyncMemory, ReportsALaunchAfterTheFreeCallThatMayRunEarlier) {
  RecordProperty("rule", "stream-ordered-free-issue");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a);
    run.wait(b, run.record(a));
    ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
    run.write(b, x);
  });
  EXPECT_THAT(kinds(found), ElementsAre("use-after-free-issue"));
}

TEST(AsyncMemory, ReportsUseAfterTheFreeInStreamOrder) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_async(64, a);
    run.write(a, x);
    ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
    run.write(a, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("use-after-free"));
  EXPECT_EQ(found[0].first.name, "cudaFreeAsync");
}

TEST(AsyncMemory, AFreeByTheHostShowsNoMercy) { // twin: AcceptsAFreeByTheHostAfterTheWait
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_async(64, a);
    run.write(a, x);
    ASSERT_EQ(cudaFree(x.base), cudaSuccess);
  });
  EXPECT_THAT(kinds(found), ElementsAre("use-after-free"));
}

TEST(AsyncMemory, AcceptsAFreeByTheHostAfterTheWait) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate_async(64, a);
                run.write(a, x);
                run.synchronize(a);
                ASSERT_EQ(cudaFree(x.base), cudaSuccess);
              }),
              IsEmpty());
}

// ---- cudaFree
// -----------------------------------------------------------------------------------------------

TEST(
    Free,
    OrdersTheBlockAfterEarlierWork) { // rule free-orders-block; twin: ReportsWorkIssuedAfterTheFree
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate(64);
                run.write(a, x);
                ASSERT_EQ(cudaFree(x.base), cudaSuccess);
              }),
              IsEmpty());
}

TEST(Free, ReportsWorkIssuedAfterTheFree) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    ASSERT_EQ(cudaFree(x.base), cudaSuccess);
    run.write(a, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("use-after-free"));
  EXPECT_EQ(found[0].rule, "free-orders-block");
}

TEST(Free, OrdersNothingElse) {
  RecordProperty("rule", "free-orders-block");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64), y = run.allocate(64, "y");
    run.write(a, y);
    ASSERT_EQ(cudaFree(x.base), cudaSuccess);
    run.write(b, y);
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(Free, WaitsForTheDeviceInTheHipDialects) { // D8
  RecordProperty("rule", "free-synchronises");
  for (char const* const name : {"hip-6", "hip-7"}) {
    options hip;
    hip.dialect = name;
    EXPECT_THAT(in_every_schedule(
                    [](scripted_run& run) {
                      auto const a = run.add_stream("a"), b = run.add_stream("b");
                      region const x = run.allocate(64), y = run.allocate(64, "y");
                      run.write(a, y);
                      ASSERT_EQ(cudaFree(x.base), cudaSuccess);
                      run.write(b, y);
                    },
                    hip),
                IsEmpty());
  }
}

TEST(Free, SaysThatAFreeIsReliedOnWhenAskedForAdvice) {
  options chosen;
  chosen.advice = true;
  scripted_run run(chosen);
  auto const a = run.add_stream("a");
  region const x = run.allocate(64);
  run.write(a, x);
  ASSERT_EQ(cudaFree(x.base), cudaSuccess);
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("implicit-free-order"));
  EXPECT_TRUE(found[0].advice);
}

TEST(Free, ReportsTheSecondFree) {
  RecordProperty("rule", "double-free-fails");
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64, "field");
    ASSERT_EQ(cudaFree(x.base), cudaSuccess);
    EXPECT_EQ(cudaFree(x.base), cudaErrorInvalidValue);
  });
  ASSERT_THAT(kinds(found), ElementsAre("double-free"));
  EXPECT_EQ(found[0].memory.name, "field");
}

TEST(Free, AcceptsNull) {
  RecordProperty("rule", "null-free");
  scripted_run run;
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(Leaks, ReportsWhatWasNotFreedOrDestroyed) {
  scripted_run run;
  region const x = run.allocate(64, "field");
  static_cast<void>(x);
  static_cast<void>(run.add_stream("a"));
  static_cast<void>(run.add_event());
  auto const found = run.finish(/*count_leaks=*/true);
  ASSERT_THAT(kinds(found), ElementsAre("leak", "leak", "leak"));
  EXPECT_THAT(text_of(found), HasSubstr("64 bytes from 'cudaMalloc' were not freed"));
  EXPECT_THAT(text_of(found), HasSubstr("stream 1 (a) was not destroyed"));
}

TEST(Leaks, AcceptsMemoryOlderThanTheBaseline) {
  scripted_run run;
  region const x = run.allocate(64);
  static_cast<void>(x);
  mark_baseline();
  region const y = run.allocate(64);
  ASSERT_EQ(cudaFree(y.base), cudaSuccess);
  EXPECT_THAT(finish(), IsEmpty());
}

// ---- bounds
// -------------------------------------------------------------------------------------------------

TEST(Bounds, ReportsBytesPastTheEndInTheLastGranule) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(60, "field");
    run.write(run.add_stream("a"), {x.base, 64});
  });
  ASSERT_THAT(kinds(found), ElementsAre("out-of-bounds"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{60, 64}}));
  EXPECT_EQ(found[0].memory.name, "field");
}

TEST(Bounds, ReportsBytesFarBehindAndBefore) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    char* const base = static_cast<char*>(x.base);
    run.kernel(run.add_stream("a"), {writes({base + 4096, 8}), reads({base - 16, 8})});
  });
  ASSERT_THAT(kinds(found), UnorderedElementsAre("out-of-bounds", "out-of-bounds"));
  std::set<byte_range> ranges;
  for (auto const& one : found) ranges.insert(one.ranges.at(0));
  EXPECT_THAT(ranges, ElementsAre(byte_range{-16, -8}, byte_range{4096, 4104}));
}

TEST(Bounds, AcceptsTheWholeBlock) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(61);
                run.kernel(run.add_stream("a"), {writes(x, 1), reads(x, 1)});
              }),
              IsEmpty());
}

TEST(Bounds, ReportsACopyThatRunsOver) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64), y = run.allocate(72, "y");
    run.copy({x.base, 72}, y, cudaMemcpyDeviceToDevice, run.add_stream("a"));
  });
  ASSERT_THAT(kinds(found), ElementsAre("out-of-bounds"));
  EXPECT_EQ(found[0].second.what, "copy");
}

TEST(Alignment, ReportsAnElementThatIsNotAlignedToItsSize) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    run.kernel(run.add_stream("a"), {writes({static_cast<char*>(x.base) + 2, 4}),
                                     writes({static_cast<char*>(x.base) + 12, 8}, 8)});
  });
  ASSERT_THAT(kinds(found), ElementsAre("misaligned"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{2, 6}, {12, 20}}));
}

TEST(Alignment, GivesAddressesThatAre256AlignedAndNot512Aligned) {
  RecordProperty("rule", "aligned-256");
  scripted_run run;
  auto const a = run.add_stream("a");
  for (std::size_t const size : {std::size_t{1}, std::size_t{256}, std::size_t{100000}})
    for (region const x :
         {run.allocate(size), run.allocate_async(size, a), run.allocate_pinned(size)})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.base) % 512, 256u);
}

// ---- content
// -------------------------------------------------------------------------------------------------

TEST(Content, ReportsAReadOfBytesThatNothingHasWritten) {
  RecordProperty("rule", "undefined-content");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_raw(64);
    run.write(a, x.part(0, 32));
    run.read(a, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{32, 64}}));
}

TEST(Content, AcceptsAReadOfWhatAnOrderedOperationWrote) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate_raw(64);
                run.write(a, x);
                run.wait(b, run.record(a));
                run.read(b, x);
              }),
              IsEmpty());
}

TEST(Content, DoesNotCountADefinitionThatNothingOrdersBefore) { // else the schedule would decide
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate_raw(64);
    run.write(run.add_stream("a"), x);
    run.read(run.add_stream("b"), x);
  });
  EXPECT_THAT(kinds(found), UnorderedElementsAre("stream-race", "undefined-read"));
}

TEST(Content, ACopyCarriesNoDefinitionThatNothingOrdersBeforeIt) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_raw(64), y = run.allocate(64, "y");
    run.write(a, x);
    run.copy(y, x, cudaMemcpyDeviceToDevice, b);
    run.read(b, y);
  });
  EXPECT_THAT(kinds(found), UnorderedElementsAre("stream-race", "undefined-read"));
}

TEST(Content, TravelsWithACopyAndIsReportedWhereItIsUsed) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_raw(64), y = run.allocate(64, "y");
    run.write(a, x.part(0, 12));
    run.copy(y, x, cudaMemcpyDeviceToDevice, a);
    run.read(a, y.part(8, 24));
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read"));
  EXPECT_EQ(found[0].memory.name, "y");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{12, 24}}));
}

TEST(Content, ReachesTheHostThroughACopy) {
  static char target[64];
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate_raw(64);
    ASSERT_EQ(cudaMemcpy(target, x.base, 64, cudaMemcpyDeviceToHost), cudaSuccess);
    run.host_writes(target, 8);
    target[0] = 0;
    run.host_reads(target, 16);
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{8, 16}}));
  EXPECT_EQ(found[0].first.name, "cudaMemcpy");
}

TEST(Content, ForgetsHostBytesThatCodeWithoutHooksHasOverwritten) {
  static char target[64];
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate_raw(64);
                ASSERT_EQ(cudaMemcpy(target, x.base, 64, cudaMemcpyDeviceToHost), cudaSuccess);
                for (char& byte : target) byte = 1;
                run.host_reads(target, 64);
              }),
              IsEmpty());
}

// struct { char c; double d; } as the compilers see it: members written one by one, copied at once.
region an_array_of_padded(scripted_run& run, cudaStream_t a) {
  region const x = run.allocate_raw(64);
  for (std::size_t at = 0; at < 64; at += 16)
    run.kernel(a, {writes(x.part(at, at + 1), 1), writes(x.part(at + 8, at + 16), 8)});
  return x;
}

TEST(Content, AcceptsACopyOfAStructureWithItsPadding) {
  static char host[64];
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = an_array_of_padded(run, a), y = run.allocate(8, "y");
                run.kernel(a, {reads(x, 16)});
                run.kernel(a, {writes(y.part(0, 1), 1), writes(y.part(4, 8), 4), reads(y, 8)});
                run.copy({host, 64}, x, cudaMemcpyDeviceToHost, a);
                run.synchronize(a);
                for (int at = 0; at < 64; at += 16) run.host_reads(host + at, 16);
                run.host_reads(host, 64);
              }),
              IsEmpty());
}

TEST(Content, ReportsAMemberThatNothingHasWritten) { // twin of the above
  static char host[64];
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = an_array_of_padded(run, a);
    run.synchronize(a);
    mockgpu_mark_undefined(static_cast<char*>(x.base) + 40, 8);
    run.kernel(a, {reads(x, 16)});
    run.copy({host, 64}, x, cudaMemcpyDeviceToHost, a);
    run.synchronize(a);
    run.host_reads(host + 32, 16);
  });
  ASSERT_THAT(kinds(found), UnorderedElementsAre("undefined-read", "undefined-read"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{40, 48}}));
}

TEST(Content, ReportsElementsThatWereWrittenInPart) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const doubles = run.allocate_raw(32, "doubles"), floats = run.allocate_raw(8, "floats");
    run.kernel(a, {writes(doubles.part(0, 20)), reads(doubles.part(16, 24), 8)});
    run.kernel(a, {writes(floats.part(0, 6), 2), reads(floats.part(4, 8))});
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read", "undefined-read"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{20, 24}}));
  EXPECT_EQ(found[1].ranges, (std::vector<byte_range>{{6, 8}}));
}

TEST(Content, AnnotationMakesBytesUndefinedAgain) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    run.read(a, x);
    run.synchronize(a);
    mockgpu_mark_undefined(static_cast<char*>(x.base) + 8, 8);
    run.read(a, x);
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{8, 16}}));
}

// ---- slabs
// --------------------------------------------------------------------------------------------------

void declare(region slab, std::size_t begin, std::size_t end, char const* name,
             std::size_t alignment = 1) {
  mockgpu_sub_array(static_cast<char*>(slab.base) + begin, end - begin, alignment, name);
}

TEST(Slabs, ReportsAnAccessBetweenTwoSubArrays) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const slab = run.allocate(256, "workspace");
    declare(slab, 0, 60, "left");
    declare(slab, 128, 192, "right");
    run.write(run.add_stream("a"), slab.part(0, 64));
  });
  ASSERT_THAT(kinds(found), ElementsAre("out-of-bounds"));
  EXPECT_EQ(found[0].rule, "sub-array-bounds");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{60, 64}}));
}

TEST(Slabs, ReportsAnElementThatCrossesFromOneSubArrayIntoTheNext) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const slab = run.allocate(64);
    declare(slab, 0, 12, "left");
    declare(slab, 12, 64, "right");
    run.kernel(run.add_stream("a"), {writes(slab.part(8, 16), 8)});
  });
  EXPECT_THAT(kinds(found), ElementsAre("out-of-bounds"));
}

TEST(Slabs, AcceptsAccessesInsideSubArraysAndRangesOverNeighbours) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const slab = run.allocate(64);
                declare(slab, 0, 12, "left");
                declare(slab, 12, 64, "right");
                run.kernel(a, {writes(slab)});
                ASSERT_EQ(cudaMemsetAsync(slab.base, 0, 64, a), cudaSuccess);
              }),
              IsEmpty());
}

TEST(Slabs, ALayoutHoldsForWorkThatIsIssuedUnderIt) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const slab = run.allocate(256);
                declare(slab, 0, 64, "first program");
                run.write(a, slab.part(0, 64));
                mockgpu_clear_sub_arrays(slab.base);
                declare(slab, 128, 256, "second program");
                run.write(a, slab.part(128, 256));
                mockgpu_clear_sub_arrays(slab.base);
                run.write(a, slab);
              }),
              IsEmpty());
}

TEST(Slabs, ReportsASubArrayThatIsNotAligned) {
  scripted_run run;
  region const slab = run.allocate(512);
  declare(slab, 8, 64, "temporary", 256);
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("misaligned"));
  EXPECT_THAT(found[0].message, HasSubstr("'temporary' begins at byte 8"));
}

TEST(Slabs, ReportsSubArraysThatShareBytes) {
  scripted_run run;
  region const slab = run.allocate(512);
  declare(slab, 0, 64, "left");
  declare(slab, 60, 128, "right");
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("subarray-overlap"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{60, 64}}));
}

TEST(Slabs, ReportsTwoProgramsOnOneSlabWithoutAnOrder) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const slab = run.allocate(256, "workspace");
    run.write(a, slab.part(0, 128));
    run.write(b, slab.part(64, 256));
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{64, 128}}));
}

} // namespace
} // namespace mockgpu::tests
