// Whole processes: every order of a program that knows nothing of the mock.
#include <array>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

struct outcome {
  std::string output; ///< of both streams
  int status = 0;
};

outcome run(std::string const& schedule, std::string const& how) {
  outcome result;
  std::string const command =
      "MOCKGPU_SCHEDULE=" + schedule + " " ORDERED_PROGRAM " " + how + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part;
  while (std::size_t const got = std::fread(part.data(), 1, part.size(), pipe))
    result.output.append(part.data(), got);
  result.status = pclose(pipe);
  return result;
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(ExhaustiveProcess, RunsEveryOrderAndReportsEachFindingOnce) {
  outcome const all = run("exhaustive", "race");
  EXPECT_EQ(WEXITSTATUS(all.status), 3) << all.output; // of the order that fails
  EXPECT_EQ(WEXITSTATUS(run("eager", "race").status), 0);
  EXPECT_EQ(count(all.output, "mockgpu: stream-race"), 1u) << all.output;
  EXPECT_EQ(count(all.output, "begins\n"), 1u) << all.output;
  EXPECT_THAT(all.output, testing::HasSubstr("mockgpu: 2 orders, all that can make a difference"));
}

TEST(ExhaustiveProcess, RunsAnOrderedProgramOnce) {
  outcome const all = run("exhaustive", "wait");
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_EQ(count(all.output, "mockgpu: stream-race"), 0u) << all.output;
  EXPECT_THAT(all.output, testing::HasSubstr("mockgpu: 1 order, all that can make a difference"));
}

TEST(ExhaustiveProcess, GoesOnAfterAnOrderThatCrashes) {
  outcome const all = run("exhaustive", "crash");
  EXPECT_NE(all.status, 0);
  EXPECT_THAT(all.output, testing::HasSubstr("mockgpu: 2 orders, all that can make a difference"));
}

TEST(ExhaustiveProcess, FailsLoudlyPastItsBound) {
  outcome const all = run("exhaustive:1", "race");
  EXPECT_EQ(WEXITSTATUS(all.status), 2);
  EXPECT_THAT(
      all.output,
      testing::HasSubstr("mockgpu: error: more than 1 orders: the exploration is not complete"));
}

TEST(ExhaustiveProcess, TheTokenOfAnOrderReplaysIt) {
  outcome const all = run("exhaustive", "race");
  std::size_t const at = all.output.find("replay:x");
  ASSERT_NE(at, std::string::npos) << all.output;
  std::string const token = all.output.substr(at, all.output.find('\n', at) - at);
  outcome const again = run(token, "race");
  EXPECT_EQ(count(again.output, "mockgpu: stream-race"), 1u) << again.output;
}

TEST(ReplayProcess, RefusesAProgramThatDoesSomethingElse) {
  outcome const first = run("random:1", "race");
  std::size_t const at = first.output.find("replay:r1");
  ASSERT_NE(at, std::string::npos) << first.output;
  std::string const token = first.output.substr(at, first.output.find('\n', at) - at);
  EXPECT_EQ(WEXITSTATUS(run(token, "race").status), 0);
  outcome const other = run(token, "wait");
  EXPECT_EQ(WEXITSTATUS(other.status), 71) << other.output;
  EXPECT_THAT(other.output, testing::HasSubstr("mockgpu: error: nondeterministic program: "));
}

} // namespace
