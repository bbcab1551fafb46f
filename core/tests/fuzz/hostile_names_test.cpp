/// \file Names and labels of files that nobody vouches for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;

/// What ends a comment, a string, a line, a path, a shell's word or a format.
std::vector<std::string> hostile_names() {
  return {"a\"b",
          "a'; touch HURT; '",
          "a\nb",
          "../../escaped",
          "a*/ int evil; /*",
          "a/*b",
          "%s%n%d",
          "a\\",
          "a\\\nb",
          "$(touch HURT)",
          "`touch HURT`",
          "#include",
          "R\"(",
          "\x01",
          "\xc3\xbc",
          "",
          "-o",
          "class",
          std::string(10'000, 'x')};
}

struct outcome_of_file {
  tool_result run;
  std::vector<std::string> beside; ///< what lies in the folder afterwards, sorted
};

outcome_of_file generate(nlohmann::json const& program, scratch const& folder) {
  fs::path const file = folder.path / "in.sdfg";
  std::ofstream(file) << program.dump();
  outcome_of_file result;
  result.run = run_tool(
      {"generate", file.string(), "--mode", "external", "-o", (folder.path / "out").string()});
  for (auto const& each : fs::directory_iterator(folder.path))
    result.beside.push_back(each.path().filename());
  std::ranges::sort(result.beside);
  return result;
}

void give_labels(nlohmann::json& value, std::string const& label) {
  if (value.is_object() && value.contains("label")) value["label"] = label;
  for (auto& member : value)
    if (member.is_structured()) give_labels(member, label);
}

TEST(HostileNames, OfProgramsAreRefusedOnOneLineUnlessTheyAreIdentifiers) {
  nlohmann::json const program = read_json(program_of("axpy"));
  int refused = 0;
  for (std::string const& name : hostile_names()) {
    scratch folder;
    nlohmann::json changed = program;
    changed["attributes"]["name"] = name;
    outcome_of_file const result = generate(changed, folder);
    if (name.size() < 10'000) {
      EXPECT_EQ(result.run.exit_code, 2) << name << result.run.output;
      ++refused;
    }
    EXPECT_NE(result.run.exit_code, 0) << "no file can have a name of 10 kB";
    EXPECT_EQ(std::ranges::count(result.run.output, '\n'), 1) << result.run.output;
    EXPECT_THAT(result.beside, testing::Each(testing::AnyOf("in.sdfg", "out")));
  }
  EXPECT_GE(refused, 15);
}

TEST(HostileNames, OfNodesAndStatesReachNoFileButTheGeneratedOnes) {
  nlohmann::json const program = read_json(program_of("axpy"));
  for (std::string const& label : hostile_names()) {
    scratch folder;
    nlohmann::json changed = program;
    give_labels(changed, label);
    outcome_of_file const result = generate(changed, folder);
    EXPECT_EQ(result.run.exit_code, 0) << label << result.run.output;
    EXPECT_EQ(result.beside, (std::vector<std::string>{"in.sdfg", "out"}));
  }
}

TEST(HostileNames, OfNodesLeaveTheGeneratedCodeRight) {
  scratch folder;
  nlohmann::json program = read_json(program_of("axpy"));
  give_labels(program, "*/ \" \\\n#error R\"( $(touch HURT) %s");
  fs::path const file = folder.path / "in.sdfg";
  std::ofstream(file) << program.dump();
  tool_result const run = run_tool({"check", file.string(), "--case", case_of("axpy"), "--mode",
                                    "external", "--target", "cuda", "--stream", "external",
                                    "--schedule", "lazy", "--call", "async", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, testing::HasSubstr("verdict: holds (1 run, results compared in 1"));
}

} // namespace
} // namespace assay::e2e
