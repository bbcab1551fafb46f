// Each schedule runs twice and must agree.
#include <gmock/gmock.h>

#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char const* every_schedule = "eager,lazy,random:2,pct:2,exhaustive";

TEST(VerifyDeterminism, HoldsForTheMockAndTheCheckerInEverySchedule) {
  built_program const program("two_streams.cu");
  report const faulty = run_built(program, {"--verify-determinism", "--schedule", every_schedule});
  EXPECT_EQ(faulty.exit_code, 1) << faulty.messages;
  ASSERT_EQ(faulty.json.at("runs").size(), 7u);
  for (auto const& run : faulty.json.at("runs"))
    EXPECT_EQ(run.at("outcome"), "findings") << run.dump(1); // no run is a disagreement
  EXPECT_THAT(faulty.json.at("notes"), Contains("7 runs were made twice"));
  report const sound =
      run_built(program, {"--verify-determinism", "--schedule", every_schedule}, {"wait"});
  EXPECT_EQ(sound.json.at("verdict"), "holds") << sound.messages;
}

TEST(VerifyDeterminism, ReportsAProgramThatDoesSomethingElse) {
  built_program const program("alternating.cu");
  std::string const file = (program.folder() / "runs").string();
  report const seen = run_built(program, {"--verify-determinism", "--schedule", "eager"}, {file});
  EXPECT_EQ(seen.exit_code, 1) << seen.messages;
  auto const& run = seen.json.at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "crash");
  EXPECT_THAT(run.at("detail").get<std::string>(),
              HasSubstr("two runs of these settings do not agree: "));
  report const once = run_built(program, {"--schedule", "eager"}, {file});
  EXPECT_EQ(once.exit_code, 0) << "nothing shows it in one run";
}

TEST(VerifyDeterminism, HoldsForACheck) {
  report const seen =
      check_example("condscalar", {"--verify-determinism", "--plant", "host-read-before-wait",
                                   "--mode", "pool", "--target", "cuda", "--call", "async",
                                   "--stream", "external", "--schedule", every_schedule});
  EXPECT_EQ(seen.exit_code, 1) << seen.messages;
  ASSERT_EQ(seen.applied().size(), 7u);
  for (auto const& run : seen.applied()) EXPECT_EQ(run.at("outcome"), "findings") << run.dump(1);
  EXPECT_THAT(seen.json.at("notes"), Contains("7 runs were made twice"));
}

} // namespace
} // namespace assay::e2e
