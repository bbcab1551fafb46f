#include "check/children.hpp"

#include <chrono>

#include <gmock/gmock.h>

#include "program/error_text.hpp"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

child_outcome run(std::string const& how, child_limits limits = {}) {
  std::vector<child_outcome> outcomes;
  run_children({{{ASSAY_SCRIPTED_CELL, how}, "x", {}}}, 1, limits,
               [&](std::size_t, child_outcome ended) { outcomes.push_back(std::move(ended)); });
  EXPECT_THAT(outcomes, SizeIs(1));
  return outcomes.front();
}

TEST(Children, GetTheirInputAndGiveTheirLines) {
  std::vector<std::string> lines(5);
  std::string const large(200'000, 'y'); // more than a pipe holds
  std::vector<child_request> requests;
  for (std::string const& input :
       {std::string(), std::string("a"), std::string("ab"), std::string("abc"), large})
    requests.push_back({{ASSAY_SCRIPTED_CELL, "echo"}, input, {}});
  run_children(requests, 2, {}, [&](std::size_t i, child_outcome ended) {
    EXPECT_EQ(ended.how, ending::exited);
    lines[i] = ended.lines.at(0);
  });
  EXPECT_THAT(lines, ElementsAre("input 0", "input 1", "input 2", "input 3", "input 200000"));
}

TEST(Children, KeepWhatTheySaidBeforeASignal) {
  child_outcome const ended = run("crash");
  EXPECT_EQ(ended.how, ending::signalled);
  EXPECT_EQ(ended.code, SIGSEGV);
  EXPECT_THAT(ended.lines, ElementsAre(HasSubstr("host-race")));
  EXPECT_EQ(ended.messages, "a last word\n");
}

TEST(Children, KeepWhatTheySaidBeforeTheTimeLimit) {
  auto const start = std::chrono::steady_clock::now();
  child_outcome const ended = run("hang", {std::chrono::milliseconds(200), 0});
  EXPECT_EQ(ended.how, ending::timed_out);
  EXPECT_THAT(ended.lines, ElementsAre(HasSubstr("host-race")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Children, KeepWhatTheySaidBeforeTheMemoryLimit) {
  child_outcome const ended = run("eat", {std::chrono::seconds(60), std::uint64_t{64} << 20});
  EXPECT_EQ(ended.how, ending::out_of_memory);
  EXPECT_THAT(ended.lines, ElementsAre(HasSubstr("host-race")));
}

TEST(Children, SeeTheirOwnVariablesBeforeTheParents) {
  setenv("ASSAY_TEST_VARIABLE", "parent", 1);
  std::vector<std::string> outputs(2);
  run_children({{{"sh", "-c", "echo $ASSAY_TEST_VARIABLE"}, "", {}},
                {{"sh", "-c", "echo $ASSAY_TEST_VARIABLE"}, "", {"ASSAY_TEST_VARIABLE=child"}}},
               1, {}, [&](std::size_t i, child_outcome ended) { outputs[i] = ended.output; });
  EXPECT_THAT(outputs, ElementsAre("parent\n", "child\n"));
}

TEST(Children, KeepOutputAndMessagesApart) {
  child_outcome outcome;
  run_children({{{"sh", "-c", "echo result; echo message >&2"}, "", {}}}, 1, {},
               [&](std::size_t, child_outcome ended) { outcome = std::move(ended); });
  EXPECT_EQ(outcome.output, "result\n");
  EXPECT_EQ(outcome.messages, "message\n");
  EXPECT_GT(outcome.seconds, 0);
}

TEST(Children, KeepATornLineAsItIs) {
  EXPECT_THAT(run("torn").lines, ElementsAre(HasSubstr("host-race"), "{\"outputs\":"));
}

TEST(Children, EndWithTheChildrenOfTheirOwn) {
  auto const start = std::chrono::steady_clock::now();
  child_outcome const ended = run("deaf");
  EXPECT_EQ(ended.how, ending::exited);
  EXPECT_THAT(ended.lines, SizeIs(2));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Children, TellThatTheCommandDoesNotExist) {
  EXPECT_EQ(
      error_text([] {
        run_children({{{"/no/such/tool"}, "x", {}}}, 1, {}, [](std::size_t, child_outcome) {});
      }),
      "4: cannot run '/no/such/tool': No such file or directory");
}

} // namespace
} // namespace assay
