// Every example holds in every cell of a reduced matrix: the twins of the planted faults.
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

/// Silence counts only where work was seen: operations, accesses, and compared results in every
/// run.
void expect_holds(report const& seen, std::size_t runs) {
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "holds");
  EXPECT_EQ(seen.json.at("runs").size(), runs);
  for (auto const& run : seen.json.at("runs")) {
    EXPECT_EQ(run.at("outcome"), "holds") << name_of(run);
    EXPECT_EQ(run.at("outputs"), "equal") << name_of(run);
    EXPECT_EQ(run.at("findings").size(), 0u) << name_of(run);
    EXPECT_GE(run.at("operations").get<int>(), 3) << name_of(run);
    EXPECT_GT(run.at("accesses").get<int>(), 100) << name_of(run);
  }
}

struct Examples : testing::TestWithParam<char const*> {};

TEST_P(Examples, HoldInFourModesOnBothStreamsInBothCallsForCuda) {
  expect_holds(check_example(GetParam(), {"--target", "cuda", "--schedule", "eager,lazy,random:2"}),
               4 * 2 * 2 * 4);
}
TEST_P(Examples, HoldForHip) {
  expect_holds(
      check_example(GetParam(), {"--target", "hip", "--mode", "pool,external", "--call", "async",
                                 "--schedule", "lazy,random:1", "--dialect", "hip-6,hip-7"}),
      2 * 2 * 2 * 2);
}
INSTANTIATE_TEST_SUITE_P(All, Examples,
                         testing::Values("axpy", "condscalar", "copiesd2d", "copiesh2d", "gt_nabla",
                                         "gt_scan", "hdiff", "jacobi2d", "multistream",
                                         "whileconv"),
                         [](auto const& which) { return std::string(which.param); });

TEST(Example, HdiffHoldsOverTheWholeDefaultMatrix) {
  expect_holds(check_example("hdiff", {}), 192);
}

TEST(Example, MultistreamHoldsOnStreamsOfItsOwn) {
  expect_holds(check_example("multistream", {"--stream", "own:3", "--target", "cuda"}), 4 * 2 * 6);
}

/// Kernels in another order than the file's, on bytes that arrays take turns on.
TEST(Example, StagedProgramsHoldWhereTheirArraysShareBytes) {
  for (char const* name : {"smagorinsky", "rk3_advection"}) {
    SCOPED_TRACE(name);
    expect_holds(check_example(name, {"--mode", "external", "--layout", "aligned,reuse", "--target",
                                      "cuda", "--call", "async", "--schedule", "eager,lazy"}),
                 2 * 2 * 2);
  }
}

TEST(Example, NablaHoldsWithMetricsSwitchedOn) {
  expect_holds(check_example("gt_nabla", {"--set", "gt_metrics_level=10", "--mode", "pool,external",
                                          "--target", "cuda", "--schedule", "eager,lazy"}),
               2 * 2 * 2 * 2);
}

TEST(Example, PackedAndAlignedLayoutsHoldInEveryKindOfWorkspace) {
  expect_holds(check_example("hdiff", {"--mode", "external", "--target", "cuda", "--layout",
                                       "packed,aligned", "--workspace", "all", "--call", "async",
                                       "--schedule", "lazy"}),
               2 * 3 * 2);
}

TEST(Example, AdviceIsReportedOnRequestAndDecidesNothing) {
  std::vector<std::string> command{"--mode", "scoped", "--target", "cuda",       "--stream",
                                   "own:3",  "--call", "async",    "--schedule", "eager"};
  report const silent = check_example("hdiff", command);
  expect_holds(silent, 1);
  command.emplace_back("--advice");
  report const advised = check_example("hdiff", command);
  EXPECT_EQ(advised.exit_code, 0) << advised.messages;
  EXPECT_EQ(advised.json.at("verdict"), "holds");
  ASSERT_FALSE(advised.applied()[0].at("findings").empty());
  for (auto const& finding : advised.applied()[0].at("findings")) {
    EXPECT_TRUE(finding.at("advice")) << finding;
    EXPECT_EQ(finding.at("kind"), "implicit-free-order");
  }
  EXPECT_THAT(advised.applied()[0].at("replay").get<std::string>(), testing::HasSubstr("advice=1"));
}

TEST(Example, LibraryIsTheSameForTwoStreamHandles) {
  report const seen = check_example("hdiff", {"--target", "cuda", "--schedule", "eager"});
  std::map<std::string, std::set<std::string>> libraries;
  std::map<std::string, int> runs;
  for (auto const& run : seen.applied()) {
    std::string const key = run.at("mode").get<std::string>() + run.at("call").get<std::string>();
    libraries[key].insert(run.at("library").get<std::string>());
    ++runs[key];
  }
  EXPECT_EQ(libraries.size(), 8u);
  for (auto const& [key, hashes] : libraries) {
    EXPECT_EQ(hashes.size(), 1u) << key;
    EXPECT_EQ(runs[key], 2) << key;
  }
}

TEST(Example, RunsWithoutACaseAgreeWithTheHost) {
  scratch const folder;
  std::string const file = (folder.path / "report.json").string();
  tool_result const result =
      run_tool({"check", program_of("hdiff"), "--mode", "scoped,external", "--target", "all",
                "--schedule", "lazy", "--call", "async", "--set", "N=5", "--seed", "7", "--format",
                "json", "--output", file, "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  std::ifstream stream(file);
  auto const json = nlohmann::json::parse(stream);
  EXPECT_EQ(json.at("runs").size(), 2u * 2 * 2 + 2);
  for (auto const& run : json.at("runs")) EXPECT_EQ(run.at("outputs"), "equal") << name_of(run);
}

TEST(Example, ResultsThatDifferFromTheExpectedOnesAreReported) {
  scratch const folder;
  std::filesystem::copy(ASSAY_EXAMPLES "/axpy", folder.path,
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(folder.path / "in" / "y.npy", folder.path / "expect" / "y.npy",
                             std::filesystem::copy_options::overwrite_existing);
  tool_result const result =
      run_tool({"check", program_of("axpy"), "--case", (folder.path / "case.json").string(),
                "--mode", "scoped", "--target", "cuda", "--schedule", "lazy", "--quiet"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("wrong result: y[0]: "));
  EXPECT_THAT(result.output,
              testing::HasSubstr("verdict: wrong_results (4 with wrong results; 4 runs, "));
}

} // namespace
} // namespace assay::e2e
