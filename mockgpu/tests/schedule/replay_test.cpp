#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

options with(schedule_kind kind, std::uint64_t seed = 1) {
  options chosen;
  chosen.schedule = kind;
  chosen.seed = seed;
  return chosen;
}
options replay_of(std::string token) {
  options chosen;
  chosen.schedule = schedule_kind::replay;
  chosen.token = std::move(token);
  return chosen;
}

std::vector<options> seeded_schedules() {
  std::vector<options> all = {with(schedule_kind::eager), with(schedule_kind::lazy)};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    all.push_back(with(schedule_kind::random, seed));
    all.push_back(with(schedule_kind::pct, seed));
  }
  return all;
}

/// Three streams that write one array, then a copy out of host memory; `kernels` on each.
void racing_writers(scripted_run& run, int kernels = 3) {
  auto const x = run.allocate(64);
  std::vector<char> host(64, 1);
  std::vector<cudaStream_t> streams;
  for (char const* const name : {"a", "b", "c"}) streams.push_back(run.add_stream(name));
  for (int i = 0; i < kernels; ++i)
    for (cudaStream_t const one : streams) run.write(one, x);
  run.copy(x, {host.data(), host.size()}, cudaMemcpyHostToDevice, streams[0]);
  run.poll(streams[1]);
  run.synchronize(streams[0]);
}

TEST(Replay, GivesTheSameFindingsWordForWord) {
  for (options const& chosen : seeded_schedules()) {
    scripted_run run(chosen);
    racing_writers(run);
    auto const found = run.finish();
    std::string const token = current_token();
    ASSERT_FALSE(found.empty());

    scripted_run again(replay_of(token));
    racing_writers(again);
    EXPECT_EQ(text_of(again.finish()), text_of(found)) << token;
    EXPECT_EQ(current_token(), token);
    EXPECT_GT(current_statistics().operations, 0u);
  }
}

TEST(Replay, FollowsTheTokenThatAFindingCarriesWhileTheProgramRuns) {
  std::vector<finding> at_once;
  scripted_run run(with(schedule_kind::random, 5));
  set_sink([&](finding const& one) { at_once.push_back(one); });
  racing_writers(run);
  static_cast<void>(run.finish());
  ASSERT_FALSE(at_once.empty());
  std::vector<finding> repeated;
  scripted_run again(replay_of(at_once.front().token));
  set_sink([&](finding const& one) { repeated.push_back(one); });
  racing_writers(again);
  static_cast<void>(again.finish());
  EXPECT_EQ(text_of(repeated), text_of(at_once));
}

TEST(Replay, FindingsCarryTheTokenInTextAndJson) {
  scripted_run run(with(schedule_kind::random, 5));
  racing_writers(run);
  auto const found = run.finish();
  ASSERT_FALSE(found.empty());
  std::string const token = current_token();
  EXPECT_THAT(to_text(found.front()),
              testing::EndsWith("\n  replay: MOCKGPU_SCHEDULE=replay:" + token));
  EXPECT_THAT(to_json(found.front()), testing::HasSubstr("\"token\":\"" + token + "\""));
}

TEST(Replay, SeedsThatChooseDifferentlyHaveDifferentTokens) {
  std::set<std::string> tokens;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    scripted_run run(with(schedule_kind::random, seed));
    racing_writers(run);
    static_cast<void>(run.finish());
    std::string const token = current_token();
    tokens.insert(token.substr(token.find('-')));
  }
  EXPECT_GE(tokens.size(), 15u);
}

using ReplayDeath = testing::Test;

TEST(ReplayDeath, RefusesAProgramThatDoesSomethingElse) {
  scripted_run run(with(schedule_kind::eager));
  racing_writers(run);
  static_cast<void>(run.finish());
  std::string const token = current_token();
  EXPECT_EXIT(
      {
        scripted_run other(replay_of(token));
        auto const x = other.allocate(64);
        auto const left = other.add_stream("left");
        other.read(left, x);
      },
      testing::ExitedWithCode(71),
      "nondeterministic program: step 2 of 12 differs from what the token recorded: it is kernel "
      "'scripted_kernel' \\(issue 5, stream 1 \\(left\\)\\)");
}

TEST(ReplayDeath, RefusesAProgramThatEndsEarly) {
  scripted_run run(with(schedule_kind::eager));
  racing_writers(run, 2);
  static_cast<void>(run.finish());
  std::string const token = current_token();
  EXPECT_EXIT(
      {
        scripted_run other(replay_of(token));
        auto const x = other.allocate(64);
        static_cast<void>(x);
        static_cast<void>(other.finish());
      },
      testing::ExitedWithCode(71), "the program ended after step 1, the token has more");
}

TEST(ReplayDeath, RefusesAChoiceThatTheTokenDoesNotKnow) {
  scripted_run run(with(schedule_kind::random, 3));
  racing_writers(run);
  static_cast<void>(run.finish());
  std::string const token = current_token();
  EXPECT_EXIT(
      {
        scripted_run other(replay_of(token));
        auto const x = other.allocate(64);
        auto const one = other.add_stream("one");
        auto const two = other.add_stream("two");
        for (int i = 0; i < 40; ++i) other.write(i % 2 == 0 ? one : two, x);
        static_cast<void>(other.finish());
      },
      testing::ExitedWithCode(71),
      "nondeterministic program: (step|one of the steps) [0-9 to]+ of ");
}

TEST(Replay, RefusesTextThatIsNoToken) {
  try {
    reset(replay_of("r5"));
    FAIL() << "accepted";
  } catch (std::invalid_argument const& error) {
    EXPECT_STREQ(error.what(), "'r5' is no token of a run");
  }
}

TEST(Schedule, IsReadFromText) {
  auto const read = [](char const* text) {
    options into;
    parse_schedule(text, into);
    return into;
  };
  EXPECT_EQ(read("eager").schedule, schedule_kind::eager);
  EXPECT_EQ(read("lazy").schedule, schedule_kind::lazy);
  EXPECT_EQ(read("random:9").seed, 9u);
  EXPECT_EQ(read("pct:9").schedule, schedule_kind::pct);
  EXPECT_EQ(read("pct:9:4").depth, 4u);
  EXPECT_EQ(read("exhaustive:50").max_orders, 50u);
  EXPECT_EQ(read("replay:e1-0-").token, "e1-0-");
  for (char const* const text : {"", "eager:1", "random", "pct:1:0", "exhaustive:0", "sometimes"})
    try {
      static_cast<void>(read(text));
      ADD_FAILURE() << text << " was accepted";
    } catch (std::invalid_argument const& error) {
      EXPECT_EQ(error.what(), "MOCKGPU_SCHEDULE='" + std::string(text) +
                                  "': expected eager, lazy, random:SEED, pct:SEED[:DEPTH], "
                                  "exhaustive[:MAX_ORDERS] or replay:TOKEN");
    }
}

} // namespace
} // namespace mockgpu::tests
