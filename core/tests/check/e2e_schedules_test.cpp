// The schedules that look for rare orders, of a whole check.
#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

using testing::HasSubstr;

std::vector<std::string> one_cell(std::string const& schedule) {
  return {"--mode", "pool",     "--target", "cuda",       "--call",
          "async",  "--stream", "external", "--schedule", schedule};
}

TEST(Schedules, HoldInEveryOrder) { // twin: Replay.NamesTheOrderOfAFindingOfAllOrdersOfACheck
  report const seen = check_example("condscalar", one_cell("exhaustive"));
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_EQ(seen.applied().size(), 1u);
  auto const run = seen.applied()[0];
  EXPECT_EQ(run.at("outcome"), "holds");
  EXPECT_EQ(run.at("outputs"), "equal") << "compared in every order";
  EXPECT_GE(run.at("orders"), 1);
  EXPECT_GT(run.at("accesses"), 0);
}

TEST(Schedules, StopLoudlyPastTheBoundOfOrders) {
  // The write of the plain read and the host's read make a difference: more than one order.
  std::vector<std::string> arguments = one_cell("exhaustive:1");
  arguments.insert(arguments.end(), {"--plant", "host-read-before-wait"});
  report const seen = check_example("condscalar", arguments);
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_THAT(seen.messages,
              HasSubstr("error: more than 1 orders: the exploration is not complete"));
}

TEST(Schedules, TakeTheDepthOfPct) {
  report const seen = check_example("condscalar", one_cell("pct:2:4"));
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_EQ(seen.applied().size(), 2u);
  EXPECT_EQ(seen.applied()[1].at("schedule"), "pct:2:4");
}

} // namespace
} // namespace assay::e2e
