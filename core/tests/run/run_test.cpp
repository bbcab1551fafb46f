// `assay run` from end to end: programs built by the drivers, judged by the real command.
#include <gmock/gmock.h>

#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Run, ReportsARaceInEverySchedule) { // twin: HoldsWhenTheStreamsAreOrdered
  built_program const program("two_streams.cu");
  report const seen = run_built(program, {});
  EXPECT_EQ(seen.exit_code, 1) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "findings");
  ASSERT_EQ(seen.json.at("runs").size(), 6u);
  for (auto const& run : seen.json.at("runs")) {
    ASSERT_EQ(run.at("findings").size(), 1u) << run.at("schedule");
    auto const& finding = run.at("findings")[0];
    EXPECT_EQ(finding.at("kind"), "stream-race");
    EXPECT_EQ(finding.at("byte_end"), 256);
    EXPECT_THAT(finding.at("first").at("location").at("file"), HasSubstr("two_streams.cu"));
  }
}

TEST(Run, HoldsWhenTheStreamsAreOrdered) {
  built_program const program("two_streams.cu");
  report const seen = run_built(program, {"--schedule", "eager,lazy,random:2"}, {"wait"});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "holds");
  EXPECT_THAT(kinds_of(seen), IsEmpty());
  EXPECT_EQ(seen.json.at("checked").at("runs"), 4);
  EXPECT_GT(seen.json.at("checked").at("accesses"), 4 * 128);
  EXPECT_THAT(seen.messages, HasSubstr("waits 1, arguments 2\n")) << "the program's own output";
}

TEST(Run, HoldsWithTheMissingEdgeThatItNamed) {
  built_program const program("two_streams.cu");
  report const seen = run_built(program, {"--schedule", "lazy", "--apply-edge", "wait:5:6"});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  EXPECT_THAT(kinds_of(seen), IsEmpty());
}

TEST(Run, PassesTheProgramsOwnOptionsOn) {
  built_program const program("two_streams.cu");
  tool_result const seen =
      run_tool({"run", "--schedule", "eager", program.path(), "wait", "--schedule", "--help"});
  EXPECT_EQ(seen.exit_code, 0);
  EXPECT_THAT(seen.output, HasSubstr("waits 1, arguments 4\n"));
  EXPECT_THAT(seen.output, HasSubstr("verdict: holds (1 run, "));
}

TEST(Run, KeepsTheFindingsOfAProgramThatHangs) {
  built_program const program("endings.cu");
  report const seen = run_built(program, {"--schedule", "eager,lazy", "--timeout", "2"}, {"hang"});
  EXPECT_EQ(seen.exit_code, 1);
  EXPECT_EQ(seen.json.at("verdict"), "findings");
  for (auto const& run : seen.json.at("runs")) {
    EXPECT_EQ(run.at("outcome"), "timeout");
    EXPECT_EQ(run.at("detail"), "no end after 2000 ms: going to hang");
    EXPECT_EQ(run.at("findings").size(), 1u);
  }
}

TEST(Run, KeepsTheFindingsOfAProgramThatIsKilled) {
  built_program const program("endings.cu");
  report const seen = run_built(program, {"--schedule", "lazy"}, {"crash"});
  auto const& run = seen.json.at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "crash");
  EXPECT_EQ(run.at("detail"), "signal 9 (Killed): going to crash");
  EXPECT_EQ(run.at("findings").size(), 1u);
}

TEST(Run, TakesAFailingExitCodeForACrash) {
  built_program const program("endings.cu");
  report const seen = run_built(program, {"--schedule", "eager"}, {"fail"});
  EXPECT_EQ(seen.json.at("runs").at(0).at("outcome"), "crash");
  EXPECT_EQ(seen.json.at("runs").at(0).at("detail"), "exit code 5: going to fail");
}

TEST(Run, NotesThatAProgramLeftWithoutItsExitHandlers) {
  built_program const program("endings.cu");
  report const seen = run_built(program, {"--schedule", "eager"}, {"leave"});
  EXPECT_THAT(seen.json.at("notes"), Contains(HasSubstr("ended without its exit handlers")));
}

TEST(Run, SaysThatAProgramIsOfAnotherVersion) {
  built_program const program("endings.cu");
  report const old = run_built(program, {"--schedule", "eager"}, {"old"});
  EXPECT_EQ(old.exit_code, 4);
  EXPECT_THAT(old.messages,
              HasSubstr(": error: it was built by the drivers of another version of mockgpu"));
  // An exit code of the program's own says nothing.
  report const four = run_built(program, {"--schedule", "eager"}, {"four"});
  EXPECT_EQ(four.exit_code, 1);
  EXPECT_EQ(four.json.at("runs").at(0).at("outcome"), "crash");
}

TEST(Run, RefusesAProgramThatMockgpuDidNotSee) {
  built_program const program("endings.cu");
  report const idle = run_built(program, {"--schedule", "eager"}, {"idle"});
  EXPECT_EQ(idle.exit_code, 2);
  EXPECT_THAT(idle.messages,
              HasSubstr(": error: the program made no call of a GPU runtime that mockgpu saw; "));
  EXPECT_EQ(run_tool({"run", "/bin/true"}).exit_code, 2);
}

TEST(Run, NamesWhatIsWrongWithItsOptions) {
  auto const message = [](std::vector<std::string> arguments) {
    tool_result const result = run_tool(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_EQ(message({"run"}), "assay: error: PROGRAM is required\n");
  EXPECT_EQ(message({"run", "--schedule", "hasty", "/bin/true"}),
            "assay: error: unknown schedule 'hasty' (one of eager, lazy, random:N or pct:N[:DEPTH] "
            "with N from 1 to 10000, exhaustive[:MOST_ORDERS])\n");
  EXPECT_EQ(message({"run", "--dialect", "cuda-1", "/bin/true"}),
            "assay: error: unknown dialect 'cuda-1' (one of cuda-13, hip-6, hip-7)\n");
  EXPECT_EQ(message({"run", "--format", "yaml", "/bin/true"}),
            "assay: error: unknown format 'yaml' (one of text, json, junit, sarif)\n");
  EXPECT_EQ(message({"run", "--devices", "9", "/bin/true"}),
            "assay: error: --devices 9: expected 1 to 8\n");
  EXPECT_EQ(run_tool({"run", "/no/such/program"}).output,
            "assay: error: cannot run '/no/such/program': No such file or directory\n");
}

} // namespace
} // namespace assay::e2e
