#include "check/agreement.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

judged_run run_with(std::string const& json) {
  judged_run run;
  run.outcome = outcome::findings;
  run.outputs = "equal";
  run.operations = 9;
  run.accesses = 100;
  run.seconds = 1;
  run.findings = {{"leak", false, "", "leak|a", "leak: ...", json}};
  return run;
}

TEST(Agreement, HoldsForTheSameResultsAtAnotherSpeed) {
  judged_run first = run_with("{}"), second = run_with("{}");
  second.seconds = 2;
  EXPECT_EQ(disagreement(first, second), "");
  require_agreement(first, second);
  EXPECT_EQ(first.outcome, outcome::findings);
}

TEST(Agreement, NamesWhatDiffers) {
  judged_run const first = run_with("{\"a\":1}");
  judged_run second = first;
  second.findings[0].json = "{\"a\":2}";
  EXPECT_EQ(disagreement(first, second), "{\"a\":1}, then {\"a\":2}");
  second.findings.clear();
  EXPECT_EQ(disagreement(first, second), "{\"a\":1}, then no finding");
  second = first;
  second.operations = 8;
  EXPECT_EQ(disagreement(first, second), "9 operations, then 8");
  second = first;
  second.accesses = 99;
  EXPECT_EQ(disagreement(first, second), "100 accesses, then 99");
  second = first;
  second.outputs = "x[0]: 1, expected 2";
  EXPECT_EQ(disagreement(first, second), "outputs 'equal', then 'x[0]: 1, expected 2'");
  second = first;
  second.outcome = outcome::crash;
  EXPECT_EQ(disagreement(first, second), "findings, then crash");
}

TEST(Agreement, MakesADisagreementTheOutcome) {
  judged_run run = run_with("{}"), second = run;
  second.operations = 8;
  require_agreement(run, second);
  EXPECT_EQ(run.outcome, outcome::crash);
  EXPECT_EQ(run.detail, "two runs of these settings do not agree: 9 operations, then 8");
}

} // namespace
} // namespace assay
