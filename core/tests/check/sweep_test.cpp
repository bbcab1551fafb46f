#include "check/sweep.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

check_run plain_run() {
  check_run run;
  run.outputs = "equal";
  return run;
}

/// A run whose program reported the failure and worked when it was used again.
check_run handled(std::string const& error = "out-of-memory") {
  check_run run;
  run.cell.fault = error + "@7";
  run.failed_call = "cudaMallocAsync (p.cpp:3)";
  run.outputs = "not compared";
  run.failure = run.detail = "program 'p' failed with GPU status 2";
  run.outcome = outcome::crash;
  run.again = error == "out-of-memory" ? "equal" : "program 'p' failed with GPU status 719";
  return run;
}

check_run with_judgement(check_run run, check_run const& plain = plain_run()) {
  judge_failure(run, plain);
  return run;
}

TEST(JudgeFailure, HoldsWhereTheProgramReportsAndGoesOn) {
  for (char const* error : {"out-of-memory", "launch-failure", "sticky"})
    EXPECT_EQ(with_judgement(handled(error)).outcome, outcome::holds) << error;
}

TEST(JudgeFailure, ReportsAFailureThatTheProgramKeepsToItself) {
  check_run run = handled();
  run.outcome = outcome::holds;
  run.failure.clear();
  run.outputs = "equal";
  run = with_judgement(run);
  EXPECT_EQ(run.outcome, outcome::wrong_results);
  EXPECT_EQ(run.outputs, "the program reports success although cudaMallocAsync (p.cpp:3) failed");
}

TEST(JudgeFailure, ReportsAProgramThatIsOfNoUseAfterwards) {
  check_run run = handled();
  run.again = "y[0]: 0, expected 1 (1 of 4 elements differ)";
  run = with_judgement(run);
  EXPECT_EQ(run.outcome, outcome::wrong_results);
  EXPECT_EQ(run.outputs, "used again after cudaMallocAsync (p.cpp:3) had failed: y[0]: 0, expected "
                         "1 (1 of 4 elements differ)");
}

TEST(JudgeFailure, ReportsSuccessOnALostDevice) {
  check_run run = handled("sticky");
  run.again = "equal";
  EXPECT_EQ(with_judgement(run).outcome, outcome::wrong_results);
}

TEST(JudgeFailure, CountsALeakAndNewFindingsButNotThoseOfThePlainRun) {
  check_run run = handled(), plain = plain_run();
  run.findings = {{"leak", false, "", "leak|a", "leak: ...", "{}"}};
  EXPECT_EQ(with_judgement(run).outcome, outcome::findings);
  plain.findings = run.findings;
  EXPECT_EQ(with_judgement(run, plain).outcome, outcome::holds);
}

TEST(JudgeFailure, ForgivesTheOneLeakOfAReleaseThatFailed) {
  check_run run = handled();
  run.failed_call = "cudaFreeAsync (p.cpp:9)";
  run.findings = {{"leak", false, "", "leak|a", "leak: ...", "{}"}};
  EXPECT_THAT(with_judgement(run).findings, IsEmpty());
  run.findings.push_back({"leak", false, "", "leak|b", "leak: ...", "{}"});
  EXPECT_THAT(with_judgement(run).findings, SizeIs(1));
  EXPECT_EQ(with_judgement(run).outcome, outcome::findings);
}

TEST(JudgeFailure, CountsRacesAfterAFailureButNotWithALostDevice) {
  for (auto const& [error, judged] : {std::pair{"out-of-memory", outcome::findings},
                                      std::pair{"launch-failure", outcome::holds},
                                      std::pair{"sticky", outcome::holds}}) {
    check_run run = handled(error);
    run.findings = {{"host-race", false, "", "host-race|a", "host-race: ...", "{}"}};
    EXPECT_EQ(with_judgement(run).outcome, judged) << error;
    run.findings = {{"out-of-bounds", false, "", "out-of-bounds|a", "out-of-bounds: ...", "{}"}};
    EXPECT_EQ(with_judgement(run).outcome, outcome::findings) << error;
  }
}

TEST(JudgeFailure, TakesACallWithAnInvalidValueForNoLossOfTheDevice) {
  check_run run = handled("invalid-value");
  run.again = "equal";
  EXPECT_EQ(with_judgement(run).outcome, outcome::holds);
  run.again = "program 'p' failed with GPU status 1";
  EXPECT_EQ(with_judgement(run).outcome, outcome::wrong_results);
}

TEST(JudgeFailure, LeavesACrashACrash) {
  check_run run = handled();
  run.failure.clear();
  run.detail = "signal 11 (Segmentation fault)";
  EXPECT_EQ(with_judgement(run).outcome, outcome::crash);
  run = handled();
  run.outcome = outcome::timeout;
  EXPECT_EQ(with_judgement(run).outcome, outcome::timeout);
}

} // namespace
} // namespace assay
