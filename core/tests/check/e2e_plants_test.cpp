// Every planted fault is reported, in every schedule, in at least two programs. The unplanted twins
// are the tests of e2e_examples_test.cpp: the same programs in the same cells, silent.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

struct planted {
  char const* fault;
  char const* example;
  char const* kind; ///< at least one finding of it in every run
  std::vector<std::string> cells;
  char const* first; ///< of one such finding: what the first operation is, or null where there is
                     ///< one side only
  char const* second;
};

void PrintTo(planted const& p, std::ostream* out) { *out << p.fault << " in " << p.example; }

struct Plant : testing::TestWithParam<planted> {};

TEST_P(Plant, IsReportedInEveryScheduleWithItsKindItsOperationsAndItsBytes) {
  planted const& p = GetParam();
  std::vector<std::string> arguments = p.cells;
  arguments.insert(arguments.end(),
                   {"--plant", p.fault, "--target", "cuda", "--schedule", "eager,lazy,random:3"});
  report const seen = check_example(p.example, arguments);
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.exit_code, 1);
  EXPECT_EQ(seen.json.at("verdict"), "findings");
  std::set<std::string> schedules;
  for (auto const& run : seen.applied()) {
    schedules.insert(run.at("schedule").get<std::string>());
    EXPECT_TRUE(has_kind(run, p.kind)) << name_of(run) << run.at("findings").dump(1);
    bool const has_sides = std::ranges::any_of(run.at("findings"), [&](auto const& finding) {
      return finding.at("kind") == p.kind &&
             // A launch on the wrong stream is wrong whatever it touches.
             (finding.at("kind") == "wrong-stream" ||
              finding.at("byte_end") > finding.at("byte_begin")) &&
             (p.first == nullptr || finding.at("first").at("what") == p.first) &&
             finding.at("second").at("what") == p.second;
    });
    EXPECT_TRUE(has_sides) << name_of(run) << run.at("findings").dump(1);
  }
  EXPECT_EQ(schedules.size(), 5u) << "the plant must apply in every schedule";
}

std::vector<std::string> const external_stream{"--stream", "external", "--mode",
                                               "pool",     "--call",   "async"};
std::vector<std::string> const synchronous{"--stream", "external", "--mode",
                                           "pool",     "--call",   "sync"};
std::vector<std::string> const workspace{"--mode", "external", "--call",
                                         "async",  "--stream", "default,external"};
std::vector<std::string> const every_thread{"--mode",   "scoped",  "--call",  "async",
                                            "--stream", "default", "--depth", "threads"};
std::vector<std::string> const own_streams{"--stream", "own:3",  "--mode",
                                           "scoped",   "--call", "async"};
std::vector<std::string> const scoped_and_pool{"--mode", "scoped,pool", "--call",
                                               "async",  "--stream",    "default"};

INSTANTIATE_TEST_SUITE_P(
    All, Plant,
    testing::Values(
        planted{"drop-sync", "hdiff", "stream-race", synchronous, "kernel", "copy"},
        planted{"drop-sync", "condscalar", "host-race", external_stream, "copy", "host access"},
        planted{"drop-event-wait", "multistream", "stream-race", own_streams, "kernel", "kernel"},
        planted{"drop-event-wait", "hdiff", "stream-race", own_streams, "kernel", "kernel"},
        planted{"null-stream", "axpy", "wrong-stream", external_stream, nullptr, "kernel"},
        planted{"null-stream", "hdiff", "wrong-stream", external_stream, nullptr, "kernel"},
        planted{"short-workspace", "hdiff", "out-of-bounds", workspace, nullptr, "kernel"},
        planted{"short-workspace", "condscalar", "out-of-bounds", workspace, nullptr, "kernel"},
        planted{"misaligned-offset", "hdiff", "misaligned", workspace, nullptr, "kernel"},
        planted{"misaligned-offset", "gt_scan", "misaligned", workspace, nullptr, "kernel"},
        planted{"early-free", "hdiff", "use-after-free", scoped_and_pool, "free", "kernel"},
        planted{"early-free", "gt_scan", "use-after-free", scoped_and_pool, "free", "kernel"},
        planted{"missing-atomic", "wcr", "thread-race", every_thread, "kernel", "kernel"},
        planted{"host-read-before-wait", "condscalar", "host-race", external_stream, "copy",
                "host access"},
        planted{"host-read-before-wait", "whileconv", "host-race", external_stream, "copy",
                "host access"}),
    [](auto const& which) {
      std::string name = std::string(which.param.fault) + "_in_" + which.param.example;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(OverlappingArrays, AreReportedInEveryScheduleAndLayout) { // twin: the same, unplanted
  for (char const* example : {"hdiff", "gt_nabla"}) {
    std::vector<std::string> const cells{
        "--mode", "external", "--layout", "all",      "--target",   "cuda",
        "--call", "async",    "--stream", "external", "--schedule", "eager,lazy,random:2"};
    std::vector<std::string> faulty = cells;
    faulty.insert(faulty.end(), {"--plant", "overlapping-arrays"});
    report const seen = check_example(example, faulty);
    EXPECT_EQ(seen.exit_code, 1) << seen.messages;
    EXPECT_EQ(seen.applied().size(), 12u) << "three layouts, four schedules";
    for (auto const& run : seen.applied())
      EXPECT_TRUE(std::ranges::any_of(run.at("findings"),
                                      [](auto const& finding) {
                                        return finding.at("kind") == "subarray-overlap" &&
                                               finding.at("byte_end") > 0 &&
                                               finding.at("memory").at("name") == "workspace";
                                      }))
          << name_of(run) << run.at("findings").dump(1);
    report const sound = check_example(example, cells);
    EXPECT_EQ(sound.exit_code, 0) << sound.messages;
    EXPECT_EQ(sound.applied().size(), 12u);
  }
}

TEST(PlantWithoutAPlace, IsNotApplicableAndNotAPass) {
  report const seen = check_example(
      "axpy", {"--plant", "drop-event-wait", "--target", "cuda", "--schedule", "eager"});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_EQ(seen.json.at("verdict"), "not_applicable");
  EXPECT_TRUE(seen.applied().empty());
}

std::string identity(nlohmann::json const& finding) { return finding.at("identity"); }

std::multiset<std::string> identities(report const& seen) {
  std::multiset<std::string> all;
  for (auto const& run : seen.applied())
    for (auto const& finding : run.at("findings")) all.insert(identity(finding));
  return all;
}

/// Inserts the missing edge of the first finding that has one: it vanishes and no other appears.
void expect_edge_heals(std::string const& example, std::string const& fault,
                       std::vector<std::string> cell) {
  for (char const* schedule : {"eager", "lazy"}) {
    std::vector<std::string> arguments = cell;
    arguments.insert(arguments.end(),
                     {"--plant", fault, "--target", "cuda", "--schedule", schedule});
    report const before = check_example(example, arguments);
    ASSERT_EQ(before.applied().size(), 1u) << before.messages;
    nlohmann::json healed;
    auto const runs = before.applied();
    for (auto const& finding : runs.front().at("findings"))
      if (healed.is_null() && finding.contains("edge") && finding.at("edge").is_string())
        healed = finding;
    ASSERT_FALSE(healed.is_null()) << before.json.dump(1);
    arguments.insert(arguments.end(), {"--apply-edge", healed.at("edge").get<std::string>()});
    report const after = check_example(example, arguments);
    ASSERT_EQ(after.applied().size(), 1u) << after.messages;
    auto const had = identities(before), has = identities(after);
    EXPECT_FALSE(has.contains(identity(healed))) << schedule << after.json.dump(1);
    for (std::string const& finding : has)
      EXPECT_TRUE(had.contains(finding)) << schedule << " new: " << finding;
  }
}

TEST(ApplyEdge, HealsAMissingWaitOfTheHost) {
  expect_edge_heals("condscalar", "drop-sync",
                    {"--stream", "default", "--mode", "pool", "--call", "async"});
}
TEST(ApplyEdge, HealsAMissingWaitOfAStream) {
  expect_edge_heals("multistream", "drop-event-wait",
                    {"--stream", "own:3", "--mode", "scoped", "--call", "async"});
}
TEST(ApplyEdge, RefusesWhatIsNoEdge) {
  report const seen =
      check_example("axpy", {"--apply-edge", "wait:3", "--mode", "scoped", "--target", "cuda"});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_THAT(seen.messages, testing::HasSubstr("wait:3"));
}

TEST(Limits, AHangBecomesATimeoutThatKeepsItsFindings) {
  report const seen =
      check_example("jacobi2d", {"--set", "T=2000000000", "--timeout", "2", "--mode", "external",
                                 "--target", "cuda", "--stream", "external", "--call", "async",
                                 "--schedule", "eager", "--plant", "null-stream"});
  ASSERT_EQ(seen.applied().size(), 1u) << seen.messages;
  auto const run = seen.applied().front();
  EXPECT_EQ(run.at("outcome"), "timeout");
  EXPECT_EQ(run.at("outputs"), "not compared");
  EXPECT_TRUE(has_kind(run, "wrong-stream"));
  EXPECT_EQ(seen.exit_code, 1);
}

TEST(Limits, AMemoryEaterIsEnded) {
  report const seen =
      check_example("jacobi2d", {"--memory", "1", "--mode", "external", "--target", "cuda",
                                 "--stream", "external", "--call", "async", "--schedule", "eager"});
  ASSERT_EQ(seen.applied().size(), 1u) << seen.messages;
  EXPECT_EQ(seen.applied().front().at("outcome"), "crash");
  EXPECT_EQ(seen.applied().front().at("detail"), "more than 1 MiB of memory");
  EXPECT_EQ(seen.json.at("verdict"), "crash");
  EXPECT_EQ(seen.exit_code, 1);
}

} // namespace
} // namespace assay::e2e
