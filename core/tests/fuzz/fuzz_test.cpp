/// \file Campaigns through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The slots of a campaign by number, without the count of accesses, which depends a little on
/// where memory lies.
std::vector<std::string> slots_of(fs::path const& file) {
  std::ifstream in(file);
  std::vector<std::string> slots;
  std::string line;
  for (bool is_header = true; std::getline(in, line); is_header = false) {
    nlohmann::json slot = nlohmann::json::parse(line.substr(line.find(' ')));
    slot.erase("accesses");
    if (!is_header) slots.push_back(slot.dump());
  }
  std::ranges::sort(slots);
  return slots;
}

std::vector<std::string> sorted_lines(fs::path const& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

tool_result fuzz(fs::path const& out, std::vector<std::string> more) {
  std::vector<std::string> arguments{"fuzz", "--quiet", "--out", out.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_tool(arguments);
}

TEST(Fuzz, HoldsForCorrectProgramsUnderAllPairsOfSettings) {
  scratch folder;
  tool_result const run = fuzz(folder.path, {program_of("hdiff"), "--cases", "96", "--seed", "5"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("coverage: pairs 462 of 462"));
  EXPECT_THAT(run.output, HasSubstr(" 0 failed"));
  EXPECT_THAT(run.output, HasSubstr("verdict: holds"));
  EXPECT_THAT(run.output, testing::Not(HasSubstr(" 0 accesses")));
}

TEST(Fuzz, FindsAPlantedFaultShrinksItAndRepeatsIt) {
  for (std::string const plant : {"drop-sync", "null-stream", "overlapping-arrays"}) {
    scratch folder;
    tool_result const run = fuzz(folder.path, {"--cases", "16", "--plant", plant, "--seed", "3"});
    EXPECT_EQ(run.exit_code, 1) << run.output;
    std::size_t const at = run.output.find("assay replay ");
    ASSERT_NE(at, std::string::npos) << run.output;
    std::string const token = run.output.substr(at + 13, run.output.find('\n', at) - at - 13);
    tool_result const again = run_tool({"replay", token});
    EXPECT_EQ(again.exit_code, 1) << again.output;
    EXPECT_THAT(again.output, HasSubstr("verdict: "));
    EXPECT_THAT(again.output, testing::Not(HasSubstr("verdict: holds")));
    // Small: a program of a few nodes, and settings that are the default but for what it takes.
    std::size_t const begin = token.find("program=") + 8;
    fs::path const program = token.substr(begin, token.find(',', begin) - begin);
    EXPECT_LT(fs::file_size(program), 40'000u);
    // Its twin without the plant is right.
    std::string twin = token;
    twin.erase(twin.find(",plant="), 7 + plant.size());
    tool_result const correct = run_tool({"replay", twin});
    EXPECT_EQ(correct.exit_code, 0) << correct.output;
    EXPECT_THAT(correct.output, HasSubstr("verdict: holds"));
  }
}

TEST(Fuzz, FindsWhatOnlyCompiledKernelsShowAndRepeatsIt) {
  scratch folder;
  // The updates of this one have no stand-in: it runs compiled or not at all.
  tool_result const run = fuzz(folder.path / "a", {program_of("wcr"), "--cases", "1", "--plant",
                                                   "missing-atomic", "--compile-every", "1"});
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("compiled: thread-race"));
  std::size_t const at = run.output.find("assay replay ");
  ASSERT_NE(at, std::string::npos) << run.output;
  std::string token = run.output.substr(at + 13, run.output.find('\n', at) - at - 13);
  tool_result const again = run_tool({"replay", token});
  EXPECT_EQ(again.exit_code, 1) << again.output;
  EXPECT_THAT(again.output, HasSubstr("verdict: findings"));
  token.erase(token.find(",plant=missing-atomic"), 21);
  tool_result const correct = run_tool({"replay", token}); // twin
  EXPECT_EQ(correct.exit_code, 0) << correct.output;
  EXPECT_THAT(correct.output, HasSubstr("verdict: holds"));
  EXPECT_FALSE(fs::exists(folder.path / "a/.compiled-0")) << "libraries do not stay";
}

TEST(Fuzz, ShardsShareTheCasesOfTheWholeWithoutOverlap) {
  scratch folder;
  std::vector<std::string> const common{"--cases", "100", "--seed", "11"};
  auto const with = [&](std::vector<std::string> more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  EXPECT_EQ(fuzz(folder.path / "whole", common).exit_code, 0);
  EXPECT_EQ(fuzz(folder.path / "a", with({"--shard", "1/3"})).exit_code, 0);
  EXPECT_EQ(fuzz(folder.path / "b", with({"--shard", "2/3"})).exit_code, 0);
  std::vector<std::string> merge{"fuzz", "merge", (folder.path / "b").string(),
                                 (folder.path / "a").string()};
  EXPECT_THAT(run_tool(merge).output, HasSubstr("not done: 32 of 100 cases"));
  EXPECT_EQ(fuzz(folder.path / "c", with({"--shard", "3/3"})).exit_code, 0);
  merge.push_back((folder.path / "c").string());
  merge.insert(merge.end(), {"--output", (folder.path / "all").string()});
  tool_result const merged = run_tool(merge);
  EXPECT_EQ(merged.exit_code, 0) << merged.output;
  EXPECT_THAT(merged.output, HasSubstr("100 cases of 7 programs, "));
  EXPECT_THAT(merged.output, testing::Not(HasSubstr("not done")));
  EXPECT_EQ(slots_of(folder.path / "all"), slots_of(folder.path / "whole/campaign.jsonl"));
}

TEST(Fuzz, GoesOnAfterBeingKilledAndCountsNothingTwice) {
  scratch folder;
  std::vector<std::string> const arguments{"--cases", "160", "--seed", "12"};
  EXPECT_EQ(fuzz(folder.path / "whole", arguments).exit_code, 0);
  std::string const out = (folder.path / "killed").string();
  for (int const milliseconds : {30, 200, 500, 900}) {
    pid_t const child = fork();
    if (child == 0) {
      execl(ASSAY_TOOL, "assay", "fuzz", "--quiet", "--cases", "160", "--seed", "12", "--out",
            out.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  tool_result const last = fuzz(out, arguments);
  EXPECT_EQ(last.exit_code, 0) << last.output;
  EXPECT_THAT(last.output, HasSubstr("160 cases of 10 programs"));
  EXPECT_EQ(slots_of(folder.path / "killed/campaign.jsonl"),
            slots_of(folder.path / "whole/campaign.jsonl"));
}

TEST(Fuzz, AnswersAnInterruptWithTheSummaryOfWhatIsDone) {
  scratch folder;
  fs::path const out = folder.path / "text";
  pid_t const child = fork();
  if (child == 0) {
    static_cast<void>(!std::freopen(out.c_str(), "w", stdout));
    execl(ASSAY_TOOL, "assay", "fuzz", "--quiet", "--time", "1h", "--out",
          (folder.path / "out").c_str(), nullptr);
    _exit(127);
  }
  for (int k = 0; k < 600 && sorted_lines(folder.path / "out/campaign.jsonl").size() < 4; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::string text;
  for (std::string const& line : sorted_lines(out)) text += line + "\n";
  EXPECT_THAT(text, HasSubstr("interrupted"));
  EXPECT_THAT(text, HasSubstr("verdict: holds"));
}

TEST(Fuzz, SaysWhatIsWrongWithItsInput) {
  scratch folder;
  auto const text = [&](std::vector<std::string> arguments) {
    tool_result const run = fuzz(folder.path, arguments);
    return std::to_string(run.exit_code) + " " + run.output;
  };
  EXPECT_EQ(text({"--shard", "4/3"}),
            "2 assay: error: --shard 4/3: not of the form I/N with I from 1 to N\n");
  EXPECT_EQ(text({"--time", "soon"}),
            "2 assay: error: --time soon: not of the form 90s, 30m or 2h\n");
  EXPECT_EQ(text({"none.sdfg", "--cases", "16"}).substr(0, 20), "2 none.sdfg: error: ");
  EXPECT_EQ(text({"--cases", "16"}).substr(0, 2), "0 ");
  EXPECT_THAT(text({"--cases", "16", "--seed", "2"}),
              HasSubstr("the folder holds another campaign: seed 1 instead of 2"));
}

} // namespace
} // namespace assay::e2e
