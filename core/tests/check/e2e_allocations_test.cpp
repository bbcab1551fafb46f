// What each memory mode calls for, counted by the mock in compiled programs: nothing (external),
// everything once (persistent), or each array once in every call and freed in it (scoped, pool).
#include <algorithm>

#include <gmock/gmock.h>

#include "assay/plan.hpp"
#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

/// The arrays of the device that a memory mode concerns.
std::size_t eligible_arrays(std::string const& example) {
  settings chosen;
  chosen.mode = memory_mode::external;
  plan::program const program = plan::lower(sdfg::read(program_of(example)), chosen);
  std::size_t count = 0;
  for (plan::workspace const& each : program.workspaces)
    if (each.storage == "GPU_Global") count += each.entries.size();
  return count;
}

struct Allocations : testing::TestWithParam<char const*> {};

TEST_P(Allocations, AreThoseOfTheMode) {
  std::size_t const arrays = eligible_arrays(GetParam());
  ASSERT_GT(arrays, 0u);
  report const seen = check_example(GetParam(), {"--mode", "all", "--target", "cuda", "--call",
                                                 "async", "--stream", "external", "--schedule",
                                                 "eager,lazy"});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_EQ(seen.applied().size(), 8u);
  for (auto const& run : seen.applied()) {
    auto const calls = [&](char const* where, char const* what) {
      return run.at("memory_calls").at(where).at(what).get<std::size_t>();
    };
    std::string const mode = run.at("mode");
    std::size_t const in_call = mode == "scoped" || mode == "pool" ? arrays : 0;
    std::size_t const for_life = mode == "persistent" ? arrays : 0;
    EXPECT_EQ(calls("call", "allocations"), in_call) << name_of(run);
    EXPECT_EQ(calls("call", "releases"), in_call) << name_of(run);
    EXPECT_EQ(calls("init", "allocations"), for_life) << name_of(run);
    EXPECT_EQ(calls("init", "releases"), 0u) << name_of(run);
    EXPECT_EQ(calls("exit", "allocations"), 0u) << name_of(run);
    EXPECT_EQ(calls("exit", "releases"), for_life) << name_of(run);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Allocations, testing::Values("hdiff", "gt_nabla", "multistream"));

} // namespace
} // namespace assay::e2e
