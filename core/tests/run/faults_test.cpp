// Injected failures from end to end.
#include <gmock/gmock.h>

#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> outcomes(report const& seen) {
  std::vector<std::string> all;
  for (auto const& run : seen.json.at("runs")) all.push_back(run.at("outcome"));
  return all;
}

TEST(Sweep, ReportsWhatACarelessProgramDoesNotHandle) { // twin: HoldsForAProgramThatChecksItsCalls
  built_program const program("errors.cu");
  report const seen = run_built(program, {"--sweep", "--schedule", "lazy"});
  EXPECT_EQ(seen.exit_code, 1) << seen.messages;
  EXPECT_THAT(outcomes(seen),
              ElementsAre("holds", "crash", "findings", "wrong_results", "wrong_results", "holds"));
  auto const& runs = seen.json.at("runs");
  EXPECT_EQ(runs[2].at("failed_call"), "cudaMemcpy (errors.cu:23)");
  EXPECT_EQ(runs[2].at("findings")[0].at("kind"), "undefined-read");
  EXPECT_EQ(runs[3].at("outputs"),
            "the program ends with success although cudaLaunchKernel (errors.cu:26) failed, and "
            "prints '31' instead of '62'");
}

// An exit code that tells of the failure is no crash; what the checker saw before it still counts.
TEST(Sweep, CountsTheFindingsOfARunThatEndsWithAFailure) {
  built_program const program("errors.cu");
  report const seen = run_built(program, {"--sweep", "--schedule", "lazy"}, {"checked"});
  EXPECT_THAT(outcomes(seen), ElementsAre("holds", "crash", "findings", "holds", "holds", "holds"));
  EXPECT_EQ(seen.json.at("runs")[2].at("findings")[0].at("kind"), "undefined-read");
}

TEST(Sweep, HoldsForAProgramThatChecksItsCalls) {
  built_program const program("errors.cu");
  report const seen = run_built(program, {"--sweep"}, {"careful"});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_EQ(seen.json.at("runs").size(), 6u);
  EXPECT_EQ(seen.json.at("runs")[0].at("calls"), 5);
  EXPECT_THAT(kinds_of(seen), IsEmpty());
  EXPECT_THAT(seen.json.at("notes"), IsEmpty()) << "each failure came to its call";
}

TEST(Sweep, NeedsAProgramThatWorks) {
  built_program const program("endings.cu");
  report const seen = run_built(program, {"--sweep"}, {"fail"});
  EXPECT_EQ(seen.exit_code, 2);
  EXPECT_THAT(seen.messages,
              HasSubstr(": error: the program fails without any injected failure: exit code 5"));
}

TEST(Fault, FailsTheCallThatItNames) {
  built_program const program("errors.cu");
  report const seen = run_built(
      program, {"--schedule", "eager", "--fault", "out-of-memory@cudaMalloc:1"}, {"careful"});
  auto const& run = seen.json.at("runs").at(0);
  EXPECT_EQ(run.at("detail"), "exit code 3: error: out of memory");
  EXPECT_THAT(run.at("failed_call"), HasSubstr("cudaMalloc"));
  EXPECT_THAT(run.at("replay"), HasSubstr("fault=out-of-memory@cudaMalloc:1,"));
}

TEST(Fault, QuotesATextThatIsNone) {
  tool_result const result = run_tool({"run", "--fault", "fire", "/bin/true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("assay: error: --fault: 'fire' is no fault: expected "));
  EXPECT_EQ(run_tool({"run", "--sweep", "--fault", "any@1", "/bin/true"}).output,
            "assay: error: --sweep and --fault exclude each other: a sweep makes its own "
            "failures\n");
}

} // namespace
} // namespace assay::e2e
