// A program that is called twice with other symbols asks for its memory anew, in every memory mode.
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

using testing::HasSubstr;

report check_hdiff(std::vector<std::string> arguments) {
  scratch const folder;
  std::string const file = (folder.path / "report.json").string();
  std::vector<std::string> command{
      "check", program_of("hdiff"), "--target", "cuda",     "--stream", "external", "--call",
      "async", "--schedule",        "eager",    "--format", "json",     "--output", file};
  command.insert(command.end(), arguments.begin(), arguments.end());
  tool_result const ended = run_tool(command);
  return {ended.exit_code, read_json(file), ended.output};
}

TEST(Calls, FollowLargerAndSmallerSymbolsInEveryMode) {
  for (char const* const second : {"K=9", "K=3"}) {
    report const once = check_hdiff({"--set", "K=6"});
    report const twice = check_hdiff({"--set", "K=6", "--set2", second});
    ASSERT_EQ(twice.exit_code, 0) << twice.messages;
    ASSERT_EQ(twice.applied().size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      auto const run = twice.applied()[i];
      EXPECT_EQ(run.at("outputs"), "equal") << name_of(run);
      EXPECT_GT(run.at("accesses"), once.applied()[i].at("accesses")) << "only one call was made";
    }
  }
}

// No workspace gives pinned memory: init allocates it, in the mode external too.
TEST(Calls, FollowSymbolsWherePinnedArraysLieBesideAWorkspace) {
  scratch const folder;
  auto program = read_json(program_of("hdiff"));
  program.at("attributes").at("_arrays").at("lap").at("attributes")["storage"] = "CPU_Pinned";
  std::string const file = (folder.path / "program.sdfg").string(),
                    result = (folder.path / "report.json").string();
  std::ofstream(file) << program;
  tool_result const ended =
      run_tool({"check",    file,     "--mode",   "external",   "--target", "cuda",  "--stream",
                "external", "--call", "async",    "--schedule", "eager",    "--set", "K=6",
                "--set2",   "K=9",    "--format", "json",       "--output", result,  "--quiet"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  auto const json = read_json(result);
  ASSERT_TRUE(json.is_object()) << ended.output;
  EXPECT_EQ(json.at("verdict"), "holds");
  EXPECT_EQ(json.at("runs").at(0).at("outputs"), "equal");
  EXPECT_GT(json.at("runs").at(0).at("accesses").get<int>(), 10000);
}

TEST(Calls, RepeatThemselvesByTheirToken) {
  report const seen = check_hdiff({"--mode", "external", "--set2", "K=9"});
  ASSERT_EQ(seen.applied().size(), 1u) << seen.messages;
  std::string const token = seen.applied()[0].at("replay");
  EXPECT_THAT(token, HasSubstr("calls=2"));
  scratch const folder;
  std::string const file = (folder.path / "again.json").string();
  EXPECT_EQ(run_tool({"replay", token, "--format", "json", "--output", file}).exit_code, 0);
  EXPECT_EQ(read_json(file).at("runs")[0], seen.applied()[0]);
}

TEST(Calls, RefuseASecondValueWithoutASecondCall) {
  report const seen = check_hdiff({"--calls", "1", "--set2", "K=9"});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_THAT(seen.messages, HasSubstr("--set2 is for the second call: --calls 1 makes none"));
}

TEST(Calls, OverAnEmptyDomainNeedNoWorkspace) {
  report const empty = check_hdiff({"--mode", "external", "--set", "K=0", "--set2", "K=5"});
  ASSERT_EQ(empty.exit_code, 0) << empty.messages;
  ASSERT_EQ(empty.applied().size(), 1u);
  EXPECT_EQ(empty.applied()[0].at("outputs"), "equal");
  EXPECT_GT(empty.applied()[0].at("accesses"), 0u) << "the second call has work";
}

TEST(Calls, MayShareASlabWithAnotherInstance) {
  std::vector<std::string> const settings{"--mode", "external", "--set", "K=6", "--set2", "K=9"};
  auto const with = [&](char const* workspace) {
    std::vector<std::string> all = settings;
    all.insert(all.end(), {"--workspace", workspace});
    return check_hdiff(all);
  };
  report const alone = with("exact"), shared = with("shared");
  ASSERT_EQ(shared.exit_code, 0) << shared.messages;
  ASSERT_EQ(shared.applied().size(), 1u);
  EXPECT_EQ(shared.applied()[0].at("outputs"), "equal");
  EXPECT_GT(shared.applied()[0].at("accesses"), alone.applied()[0].at("accesses"))
      << "no second instance ran";
}

TEST(Calls, OfTwoInstancesThatNothingOrdersAreReported) { // twin: MayShareASlabWithAnotherInstance
  auto const with = [](char const* workspace) {
    scratch const folder;
    std::string const file = (folder.path / "report.json").string();
    int const code = run_tool({"check",       program_of("hdiff"),
                               "--target",    "cuda",
                               "--stream",    "own:3",
                               "--call",      "async",
                               "--schedule",  "lazy",
                               "--mode",      "external",
                               "--plant",     "drop-sync",
                               "--workspace", workspace,
                               "--format",    "json",
                               "--output",    file})
                         .exit_code;
    EXPECT_EQ(code, 1);
    std::set<std::string> kinds;
    auto const seen = read_json(file);
    for (auto const& run : seen.at("runs"))
      for (auto const& finding : run.at("findings")) kinds.insert(finding.at("kind"));
    return kinds;
  };
  EXPECT_THAT(with("shared"), testing::Contains("workspace-unordered"));
  std::set<std::string> const alone = with("exact");
  EXPECT_THAT(alone, testing::Not(testing::IsEmpty())) << "the plant shows there too";
  EXPECT_THAT(alone, testing::Not(testing::Contains("workspace-unordered")));
}

} // namespace
} // namespace assay::e2e
