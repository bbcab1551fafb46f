#include "assay/plant.hpp"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>

#include "assay/emit.hpp"
#include "program/error_text.hpp"

namespace assay {
namespace {

plan::program lowered(std::string const& example, settings const& s) {
  return plan::lower(sdfg::read(ASSAY_EXAMPLES "/" + example + "/program.sdfg"), s);
}

/// All generated text, line by line.
std::vector<std::string> lines_of(plan::program const& program) {
  std::vector<std::string> lines;
  for (generated_file const& file : emit(program)) {
    std::istringstream stream(file.text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

/// Lines of the text that the plant removed and added, in order.
struct difference {
  bool applied = false;
  std::vector<std::string> removed, added;
};
difference difference_of(plant fault, plan::program program) {
  difference result;
  auto const before = lines_of(program);
  result.applied = apply(fault, program);
  auto const after = lines_of(program);
  auto begin = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto end = std::mismatch(before.rbegin(), std::make_reverse_iterator(begin.first), after.rbegin(),
                           std::make_reverse_iterator(begin.second));
  result.removed.assign(begin.first, end.first.base());
  result.added.assign(begin.second, end.second.base());
  return result;
}

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

settings with(memory_mode mode, call_kind call = call_kind::async, int own_streams = 0) {
  settings s;
  s.mode = mode;
  s.call = call;
  s.own_streams = own_streams;
  return s;
}

TEST(Plant, DropSyncRemovesAWaitAndNothingElse) {
  auto const d =
      difference_of(plant::drop_sync, lowered("axpy", with(memory_mode::scoped, call_kind::sync)));
  EXPECT_TRUE(d.applied);
  EXPECT_THAT(d.removed, Contains(HasSubstr("cudaStreamSynchronize")));
  EXPECT_THAT(d.added, Not(Contains(HasSubstr("cudaStreamSynchronize"))));
}

TEST(Plant, DropSyncFindsNoPlaceInACallThatNeverWaits) {
  auto const d = difference_of(plant::drop_sync, lowered("axpy", with(memory_mode::pool)));
  EXPECT_FALSE(d.applied);
  EXPECT_THAT(d.removed, IsEmpty());
  EXPECT_THAT(d.added, IsEmpty());
}

TEST(Plant, DropEventWaitNeedsSeveralStreams) {
  EXPECT_FALSE(
      difference_of(plant::drop_event_wait, lowered("multistream", with(memory_mode::scoped)))
          .applied);
  auto const d =
      difference_of(plant::drop_event_wait,
                    lowered("multistream", with(memory_mode::scoped, call_kind::async, 3)));
  EXPECT_TRUE(d.applied);
  EXPECT_THAT(d.removed, Contains(HasSubstr("cudaStreamWaitEvent")));
  EXPECT_THAT(d.added, Not(Contains(HasSubstr("cudaStreamWaitEvent"))));
}

TEST(Plant, NullStreamChangesTheStreamOfOneLaunch) {
  auto const d = difference_of(plant::null_stream, lowered("axpy", with(memory_mode::scoped)));
  EXPECT_TRUE(d.applied);
  EXPECT_THAT(d.removed, ElementsAre(HasSubstr("__state->gpu_context->streams[0])")));
  EXPECT_THAT(d.added, ElementsAre(HasSubstr("nullptr)")));
}

TEST(Plant, EarlyFreeMovesAReleaseBeforeTheLastUse) {
  for (memory_mode mode : {memory_mode::scoped, memory_mode::pool}) {
    auto const d = difference_of(plant::early_free, lowered("hdiff", with(mode)));
    EXPECT_TRUE(d.applied);
    EXPECT_THAT(d.added.front(), HasSubstr("cudaFree"));
    EXPECT_THAT(d.added, Contains(HasSubstr("__dace_runkernel")));
  }
  for (memory_mode mode : {memory_mode::persistent, memory_mode::external})
    EXPECT_FALSE(difference_of(plant::early_free, lowered("hdiff", with(mode))).applied);
}

TEST(Plant, HostReadBeforeWaitSwapsTheTwo) {
  auto const d =
      difference_of(plant::host_read_before_wait, lowered("condscalar", with(memory_mode::pool)));
  EXPECT_TRUE(d.applied);
  EXPECT_THAT(d.removed.front(), HasSubstr("cudaStreamSynchronize"));
  EXPECT_THAT(d.added.front(), Not(HasSubstr("cudaStreamSynchronize")));
  EXPECT_THAT(d.added, Contains(HasSubstr("cudaStreamSynchronize")));
  EXPECT_FALSE(
      difference_of(plant::host_read_before_wait, lowered("hdiff", with(memory_mode::pool)))
          .applied);
}

TEST(Plant, OfTheWorkspaceLeavesTheTextAlone) {
  for (plant fault : {plant::short_workspace, plant::misaligned_offset}) {
    EXPECT_TRUE(is_run_plant(fault));
    EXPECT_FALSE(difference_of(fault, lowered("hdiff", with(memory_mode::external))).applied);
    EXPECT_TRUE(applies_to_run(fault, lowered("hdiff", with(memory_mode::external))));
    EXPECT_FALSE(applies_to_run(fault, lowered("hdiff", with(memory_mode::pool))));
  }
  EXPECT_FALSE(applies_to_run(plant::drop_sync, lowered("hdiff", with(memory_mode::external))));
}

TEST(Plant, OverlappingArraysMovesOneArrayOntoAnother) {
  auto const d =
      difference_of(plant::overlapping_arrays, lowered("hdiff", with(memory_mode::external)));
  EXPECT_TRUE(d.applied);
  ASSERT_EQ(d.added.size(), 1u);
  EXPECT_THAT(d.removed.front(), HasSubstr("reinterpret_cast<double*>(__base"));
  EXPECT_FALSE(
      difference_of(plant::overlapping_arrays, lowered("hdiff", with(memory_mode::pool))).applied);
  EXPECT_FALSE(
      difference_of(plant::overlapping_arrays, lowered("jacobi2d", with(memory_mode::external)))
          .applied); // one array alone
}

TEST(Plant, FindsNoPlaceInAHostProgram) {
  for (std::string_view each : plant_names()) {
    settings s = with(memory_mode::scoped, call_kind::sync);
    s.target = target::cpu;
    EXPECT_FALSE(difference_of(parse_plant(each), lowered("condscalar", s)).applied) << each;
  }
}

TEST(Plant, NamesAreReadBack) {
  EXPECT_EQ(plant_names().size(), 10u);
  for (std::string_view each : plant_names()) EXPECT_EQ(name(parse_plant(each)), each);
  EXPECT_EQ(
      error_text([] { static_cast<void>(parse_plant("drop")); }),
      "2: unknown plant 'drop' (one of drop-sync, drop-event-wait, null-stream, short-workspace, "
      "misaligned-offset, early-free, host-read-before-wait, missing-atomic, "
      "drop-barrier, overlapping-arrays)");
}

} // namespace
} // namespace assay
