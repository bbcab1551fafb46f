/// \file Properties of lowering and of the plan interpreter alone, on a runtime without any order
/// to get wrong: what fails here is no matter of streams.
#include <gtest/gtest.h>

#include <iostream>

#include "arbitrary.hpp"
#include "differences.hpp"
#include "generate.hpp"
#include "immediate_runtime.hpp"
#include "run.hpp"
#include "shares.hpp"

namespace assay::properties {
namespace {

TEST(Lowering, RandomProgramsAgreeWithTheSequentialModelInEveryMode) {
  shares seen;
  auto const result = check("lowering", 2000, [&](case_spec const& c) {
    auto const program = build(c.program);
    sdfg::verify(program.graph);
    auto const content = initial_content(program.graph, program.symbols, c.run.seed);
    sequential_model model(program.graph, program.symbols, content);
    for (int k = 0; k < c.run.calls; ++k) model.call();
    auto const plan = plan::lower(program.graph, c.run.chosen);
    test::immediate_runtime runtime;
    observer silent;
    auto const got = run_plan(plan, program.symbols, content, c.run, runtime, silent);
    if (got.refused) throw violation{"refused: " + *got.refused};
    if (auto const text = differences(got.memory, model.memory()); !text.empty())
      throw violation{text};
    if (!runtime.live.empty()) throw violation{"memory is not released"};
    if (runtime.live_handles != 0) throw violation{"streams or events are not destroyed"};
    seen.count(program.has, plan);
  });
  if (!result.failure.empty()) FAIL() << result.failure;
  std::cout << seen << "\n"
            << static_cast<int>(result.cases / result.seconds) << " cases per second, seed "
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
} // namespace assay::properties
