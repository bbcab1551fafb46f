// A token repeats its run.
#include <gmock/gmock.h>

#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::HasSubstr;

TEST(Replay, GivesTheSameFindingsBitForBit) {
  built_program const program("two_streams.cu");
  report const seen = run_built(program, {"--schedule", "lazy,random:2,pct:1:2"});
  ASSERT_EQ(seen.json.at("runs").size(), 4u) << seen.messages;
  for (auto const& run : seen.json.at("runs")) {
    std::string const file = (program.folder() / "again.json").string();
    tool_result const again =
        run_tool({"replay", run.at("replay"), "--format", "json", "--output", file, "--quiet"});
    EXPECT_EQ(again.exit_code, 1) << again.output;
    auto const repeated = read_json(file);
    ASSERT_EQ(repeated.at("runs").size(), 1u);
    EXPECT_FALSE(run.at("findings").empty());
    EXPECT_EQ(repeated.at("runs")[0].at("findings"), run.at("findings"));
    EXPECT_EQ(repeated.at("runs")[0].at("replay"), run.at("replay"));
  }
}

/// Repeats what the finding's own token names. \returns the one run.
nlohmann::json repeated(nlohmann::json const& finding, std::filesystem::path const& folder) {
  std::string const file = (folder / "again.json").string();
  tool_result const again =
      run_tool({"replay", finding.at("replay"), "--format", "json", "--output", file, "--quiet"});
  EXPECT_EQ(again.exit_code, 1) << again.output;
  auto const all = read_json(file).at("runs");
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

/// Of a finding, what does not depend on how its run was asked for. The heap of a process that runs
/// one order alone is not that of one that was forked to run it.
nlohmann::json without_replay(nlohmann::json finding) {
  finding.erase("replay");
  if (finding.at("memory").at("space") == "pageable host") finding.at("memory").erase("address");
  return finding;
}

TEST(Replay, NamesTheOrderOfAFindingOfAllOrders) {
  built_program const program("two_streams.cu");
  report const seen = run_built(program, {"--schedule", "exhaustive"});
  EXPECT_EQ(seen.exit_code, 1) << seen.messages;
  auto const& run = seen.json.at("runs").at(0);
  EXPECT_EQ(run.at("orders"), 2);
  ASSERT_EQ(run.at("findings").size(), 1u);
  auto const& finding = run.at("findings")[0];
  EXPECT_THAT(finding.at("replay").get<std::string>(), HasSubstr("run,schedule=replay:x"));
  auto const again = repeated(finding, program.folder());
  ASSERT_EQ(again.at("findings").size(), 1u);
  EXPECT_EQ(again.at("findings")[0], without_replay(finding));
  report const ordered = run_built(program, {"--schedule", "exhaustive"}, {"wait"});
  EXPECT_EQ(ordered.exit_code, 0) << ordered.messages;
  EXPECT_EQ(ordered.json.at("runs")[0].at("orders"), 1);
}

TEST(Replay, NamesTheOrderOfAFindingOfAllOrdersOfACheck) { // twin: Schedules.HoldInEveryOrder
  report const seen = check_example(
      "condscalar", {"--plant", "host-read-before-wait", "--mode", "pool", "--target", "cuda",
                     "--call", "async", "--schedule", "exhaustive", "--stream", "external"});
  ASSERT_EQ(seen.applied().size(), 1u) << seen.messages;
  auto const run = seen.applied()[0];
  EXPECT_GT(run.at("orders"), 1);
  ASSERT_FALSE(run.at("findings").empty());
  scratch const folder;
  for (auto const& finding : run.at("findings")) {
    EXPECT_THAT(finding.at("replay").get<std::string>(), HasSubstr(",schedule=replay:x"));
    auto const again = repeated(finding, folder.path);
    std::vector<nlohmann::json> seen_again;
    for (auto const& each : again.at("findings")) seen_again.push_back(without_replay(each));
    EXPECT_THAT(seen_again, testing::Contains(without_replay(finding)));
  }
}

TEST(Replay, GivesTheSameFindingsOfACheckBitForBit) {
  report const seen = check_example(
      "condscalar", {"--plant", "host-read-before-wait", "--mode", "external", "--target", "cuda",
                     "--call", "async", "--schedule", "lazy,random:2", "--stream", "external"});
  ASSERT_EQ(seen.applied().size(), 3u) << seen.messages;
  scratch const folder;
  for (auto const& run : seen.applied()) {
    std::string const file = (folder.path / "again.json").string();
    tool_result const again =
        run_tool({"replay", run.at("replay"), "--format", "json", "--output", file, "--quiet"});
    EXPECT_EQ(again.exit_code, 1) << again.output;
    auto const repeated = read_json(file);
    ASSERT_EQ(repeated.at("runs").size(), 1u);
    EXPECT_FALSE(run.at("findings").empty());
    EXPECT_EQ(repeated.at("runs")[0], run) << "settings, findings, counts and token";
  }
}

TEST(Fault, FailsACallOfEveryRunOfACheck) {
  report const seen = check_example("axpy", {"--mode", "scoped", "--target", "cuda", "--stream",
                                             "default", "--call", "sync", "--schedule", "eager",
                                             "--fault", "launch-failure@cudaLaunchKernel:2"});
  ASSERT_EQ(seen.applied().size(), 1u) << seen.messages;
  EXPECT_EQ(seen.applied()[0].at("fault"), "launch-failure@cudaLaunchKernel:2");
  EXPECT_NE(seen.applied()[0].at("outcome"), "holds");
}

TEST(Replay, TakesAnotherProgramThanTheTokens) {
  built_program const program("two_streams.cu");
  tool_result const again =
      run_tool({"replay", "run,schedule=lazy,program=/no/such/program", program.path(), "wait"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("verdict: holds (1 run, "));
}

TEST(Replay, NamesATokenThatIsNone) {
  tool_result const result = run_tool({"replay", "nonsense"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "assay: error: 'nonsense' is no replay token: it begins with none of "
                           "'run,', 'check,' and 'fuzz,'\n");
}

} // namespace
} // namespace assay::e2e
