// Suppressions from end to end.
#include <fstream>

#include <gmock/gmock.h>

#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string file_with(built_program const& program, std::string const& text) {
  std::string const file = (program.folder() / "known.txt").string();
  std::ofstream(file) << text;
  return file;
}

TEST(Suppress, AKnownFindingDoesNotCount) { // twin: AnotherKindsEntryLeavesIt
  built_program const program("two_streams.cu");
  std::string const file =
      file_with(program, "kind: stream-race\nkernel: fill\nreason: shown to be benign\n");
  report const seen = run_built(program, {"--schedule", "eager,lazy", "--suppressions", file});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "holds");
  for (auto const& run : seen.json.at("runs"))
    EXPECT_EQ(run.at("findings").at(0).at("suppressed"), "shown to be benign");
  tool_result const text =
      run_tool({"run", "--schedule", "eager", "--suppressions", file, program.path()});
  EXPECT_THAT(text.output, HasSubstr(" accesses checked, 1 finding suppressed)\n"));
}

TEST(Suppress, AnotherKindsEntryLeavesIt) {
  built_program const program("two_streams.cu");
  std::string const file = file_with(program, "kind: leak\nkernel: fill\nreason: another\n");
  report const seen = run_built(program, {"--schedule", "eager", "--suppressions", file});
  EXPECT_EQ(seen.exit_code, 1);
  EXPECT_THAT(seen.json.at("notes"),
              ElementsAre(file + ":1: the suppression of leak was not used"));
}

TEST(Suppress, ABadFileIsBadInput) {
  built_program const program("two_streams.cu");
  std::string const file = file_with(program, "kind: leak\n");
  report const seen = run_built(program, {"--schedule", "eager", "--suppressions", file});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_EQ(seen.messages, "assay: error: " + file + ":1: the entry gives no reason\n");
}

TEST(Suppress, WorksWithoutTheCommandToo) {
  built_program const program("two_streams.cu");
  std::string const file =
      file_with(program, "kind: stream-race\nreason: benign\n\nkind: leak\nreason: other\n");
  setenv("MOCKGPU_SUPPRESSIONS", file.c_str(), 1);
  tool_result const seen = run_command_line({program.path()});
  unsetenv("MOCKGPU_SUPPRESSIONS");
  EXPECT_THAT(seen.output, HasSubstr("mockgpu: findings suppressed: 1\nmockgpu: " + file +
                                     ":4: the suppression of leak was not used\n"));
  EXPECT_THAT(seen.output, Not(HasSubstr("stream-race:")));
}

TEST(Suppress, ACheckTakesThemToo) {
  scratch const folder;
  std::string const file = (folder.path / "known.txt").string();
  std::ofstream(file) << "kind: host-race\nreason: planted\n";
  std::vector<std::string> const options{"--plant",    "host-read-before-wait",
                                         "--mode",     "external",
                                         "--target",   "cuda",
                                         "--stream",   "default",
                                         "--schedule", "eager",
                                         "--call",     "async"};
  EXPECT_EQ(check_example("condscalar", options).exit_code, 1);
  std::vector<std::string> with = options;
  with.insert(with.end(), {"--suppressions", file});
  report const seen = check_example("condscalar", with);
  EXPECT_EQ(seen.exit_code, 0) << seen.json;
  EXPECT_EQ(seen.applied().at(0).at("findings").at(0).at("suppressed"), "planted");
}

} // namespace
} // namespace assay::e2e
