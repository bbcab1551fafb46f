/// \file Properties of lowering and of the plan interpreter alone, on a runtime without any order
/// to get wrong: what fails here is no matter of streams.
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>
#include <sstream>

#include "arbitrary.hpp"
#include "fuzz/differences.hpp"
#include "fuzz/generate.hpp"
#include "fuzz/run.hpp"
#include "immediate_runtime.hpp"
#include "shares.hpp"

namespace assay::fuzz {
namespace {

/// Every memory mode, and the mode external under every layout; the rest as the case has it.
std::vector<settings> all_modes(settings const& chosen) {
  std::vector<settings> result;
  for (auto const mode : {memory_mode::scoped, memory_mode::pool, memory_mode::persistent}) {
    result.push_back(chosen);
    result.back().mode = mode;
  }
  for (auto const layout :
       {workspace_layout::packed, workspace_layout::aligned, workspace_layout::reuse}) {
    result.push_back(chosen);
    result.back().mode = memory_mode::external;
    result.back().layout = layout;
  }
  return result;
}

TEST(Lowering, RandomProgramsAgreeWithTheSequentialModelInEveryModeAndLayout) {
  shares seen;
  int runs = 0;
  std::clock_t const start = std::clock();
  auto const result = check("lowering", 1000, [&](case_spec const& c) {
    auto const program = build(c.program);
    sdfg::verify(program.graph);
    auto const content = initial_content(program.graph, program.symbols, c.run.seed);
    sequential_model model(program.graph, program.symbols, content);
    for (int k = 0; k < c.run.calls; ++k) model.call();
    for (auto const& chosen : all_modes(c.run.chosen)) {
      auto const plan = plan::lower(program.graph, chosen);
      run_spec how = c.run;
      how.chosen = chosen;
      test::immediate_runtime runtime;
      observer silent;
      auto const got = run_plan(plan, program.symbols, content, how, runtime, silent);
      auto const fail = [&](std::string const& text) {
        std::ostringstream in;
        in << text << "in: " << how;
        throw violation{in.str()};
      };
      if (got.refused) fail("refused: " + *got.refused + "\n");
      if (auto const text = differences(got.memory, model.memory()); !text.empty()) fail(text);
      if (!runtime.live.empty()) fail("memory is not released\n");
      if (runtime.live_handles != 0) fail("streams or events are not destroyed\n");
      ++runs;
      if (chosen.mode == memory_mode::scoped) seen.count(program.has, plan);
    }
  });
  double const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!result.failure.empty()) FAIL() << result.failure;
  std::cout << seen << "\n"
            << static_cast<int>(runs / seconds) << " runs per second of one core, seed "
            << result.seed << "\n";
  EXPECT_GE(seen.joined_streams(), 0.2);
  EXPECT_GE(seen.device_conditions(), 0.2);
  EXPECT_GE(seen.loops(), 0.2);
  EXPECT_GE(seen.renamed(), 0.1);
  EXPECT_GE(seen.zero_sizes(), 0.05);
  EXPECT_GE(seen.jumps(), 0.05);
  EXPECT_GE(seen.host_transients(), 0.1);
}

} // namespace
} // namespace assay::fuzz
