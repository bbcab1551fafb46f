// Each runtime call of a program fails once with each error: the program reports it, leaves nothing
// behind, and can be used again where the device still works. What a careless program makes of a
// failure is in sweep_test.cpp.
#include <set>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

using testing::HasSubstr;

struct swept {
  char const* example;
  char const* modes;
  char const* stream;
  std::size_t least_calls;
};
// What ctest lists: bytes would differ from run to run.
void PrintTo(swept const& value, std::ostream* stream) { *stream << value.example; }
struct Sweep : testing::TestWithParam<swept> {};

TEST_P(Sweep, FindsEveryFailureReportedAndTheProgramUsable) {
  report const seen = check_example(
      GetParam().example, {"--sweep", "--target", "cuda", "--mode", GetParam().modes, "--call",
                           "async", "--stream", GetParam().stream, "--schedule", "lazy"});
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  std::set<std::string> calls;
  for (auto const& run : seen.applied()) {
    EXPECT_EQ(run.at("outcome"), "holds") << run.dump(1);
    if (!run.contains("fault")) continue;
    calls.insert(run.at("mode").get<std::string>() + " " + run.at("fault").get<std::string>());
    EXPECT_FALSE(run.at("failed_call").get<std::string>().empty());
    EXPECT_THAT(run.at("detail").get<std::string>(), HasSubstr("fail")) << "a clear error";
  }
  EXPECT_GE(calls.size(), GetParam().least_calls) << "silence must not mean that nothing failed";
}

// condscalar in pool mode makes twelve calls, and each fails in three ways.
INSTANTIATE_TEST_SUITE_P(All, Sweep,
                         testing::Values(swept{"hdiff", "all", "external", 100},
                                         swept{"condscalar", "pool", "default", 36},
                                         swept{"multistream", "external", "own:3", 60}),
                         [](auto const& which) { return which.param.example; });

TEST(SweepReplay, RepeatsOneFailure) {
  report const seen =
      check_example("axpy", {"--sweep", "--target", "cuda", "--mode", "pool", "--call", "async",
                             "--stream", "external", "--schedule", "eager"});
  ASSERT_GT(seen.applied().size(), 3u) << seen.messages;
  auto const failed = seen.applied()[2];
  scratch const folder;
  std::string const file = (folder.path / "again.json").string();
  EXPECT_EQ(
      run_tool({"replay", failed.at("replay"), "--format", "json", "--output", file}).exit_code, 0);
  auto const again = read_json(file).at("runs");
  ASSERT_EQ(again.size(), 2u) << "the run without the failure, and the run with it";
  EXPECT_EQ(again[1], failed);
}

} // namespace
} // namespace assay::e2e
