#include "schedule/token.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "schedule/step_record.hpp"

namespace mockgpu::tests {
namespace {

std::string error_of(std::string const& text) {
  try {
    static_cast<void>(parse_token(text));
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "none";
}

TEST(Token, SaysTheScheduleTheStepsAndTheirChecks) {
  run_token token;
  token.schedule = schedule_kind::random;
  token.seed = 18446744073709551615u;
  token.steps = 3;
  token.checks = {0xABC, 0x001, 0xFFF};
  EXPECT_EQ(to_text(token), "r18446744073709551615-3-abc001fff");
  EXPECT_EQ(parse_token("r18446744073709551615-3-abc001fff"), token);
}

TEST(Token, KeepsEveryKindOfScheduleThroughItsText) {
  for (char const* const text :
       {"e1-0-", "l2-1-123", "r3-2-000fff", "p4d5-0-", "x-0-", "x0102y-0-", "xz0zz5-0-"})
    EXPECT_EQ(to_text(parse_token(text)), text);
  EXPECT_EQ(parse_token("x1ay-0-").decisions, (std::vector<unsigned>{1, 10, 34}));
  EXPECT_EQ(parse_token("xz0zz5-0-").decisions, (std::vector<unsigned>{35, 75}));
  EXPECT_EQ(parse_token("p4d5-0-").depth, 5u);
}

TEST(Token, RefusesTextThatIsNone) {
  for (char const* const text : {"", "q1-0-", "r-0-", "r1", "r1-2-123", "r1-1-12", "r1-1-1234",
                                 "p1-0-", "x01", "x0Z-0-", "r1-1-xyz", "r99999999999999999999-0-"})
    EXPECT_EQ(error_of(text), "'" + std::string(text) + "' is no token of a run");
}

TEST(Token, StaysShortHoweverLongTheRun) {
  step_record record;
  for (std::uint64_t step = 0; step < 1000000; ++step) ASSERT_TRUE(record.add(step));
  EXPECT_LE(record.checks().size(), 32u);
  EXPECT_GE(record.checks().size(), 16u);
}

TEST(StepRecord, AcceptsTheSameStepsAndNamesTheBlockOfAnother) {
  for (std::uint64_t const count : {1u, 5u, 32u, 33u, 64u, 65u, 1000u, 4097u}) {
    step_record first;
    for (std::uint64_t step = 0; step < count; ++step) ASSERT_TRUE(first.add(step * step));
    step_record same(first.steps(), first.checks());
    for (std::uint64_t step = 0; step < count; ++step) ASSERT_TRUE(same.add(step * step));
    EXPECT_EQ(same.checks(), first.checks());

    std::uint64_t const changed = count / 2, size = block_steps(count);
    step_record other(first.steps(), first.checks());
    std::uint64_t noticed = count;
    for (std::uint64_t step = 0; step < count && noticed == count; ++step)
      if (!other.add(step == changed ? 7777 : step * step)) noticed = step;
    EXPECT_EQ(noticed / size, changed / size) << count;
    EXPECT_EQ(other.block_begin(), changed / size * size) << count;
  }
}

TEST(StepRecord, AcceptsStepsThatComeAfterTheRecordedOnes) {
  step_record first;
  for (std::uint64_t step = 0; step < 10; ++step) ASSERT_TRUE(first.add(step));
  step_record longer(first.steps(), first.checks());
  for (std::uint64_t step = 0; step < 100; ++step) ASSERT_TRUE(longer.add(step));
}

TEST(StepRecord, NoticesThatStepsChangedPlaces) {
  step_record first;
  for (std::uint64_t const step : {1u, 2u}) ASSERT_TRUE(first.add(step));
  step_record other(first.steps(), first.checks());
  EXPECT_FALSE(other.add(2));
}

} // namespace
} // namespace mockgpu::tests
