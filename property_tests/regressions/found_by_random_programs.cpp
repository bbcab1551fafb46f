/// \file Shrunk failures of the properties, each as a plain test that names the fault.
#include <gtest/gtest.h>

#include "fuzz/differences.hpp"
#include "fuzz/drop_wait.hpp"
#include "fuzz/generate.hpp"
#include "run_on_mock.hpp"

namespace assay::fuzz {
namespace {

struct fixture {
  generated_program program;
  std::map<std::string, words> content;
  plan::program plan;

  fixture(program_spec const& spec, settings const& chosen) : program(build(spec)) {
    sdfg::verify(program.graph);
    content = initial_content(program.graph, program.symbols, 1);
    plan = plan::lower(program.graph, chosen);
  }
  [[nodiscard]] checked_run run(plan::program const& p, int calls = 1) const {
    run_spec how;
    how.chosen = p.settings;
    how.stream = caller_stream::non_blocking;
    how.calls = calls;
    return run_on_mock(p, program.symbols, content, how);
  }
  void expect_correct(int calls = 1) const {
    sequential_model model(program.graph, program.symbols, content);
    for (int k = 0; k < calls; ++k) model.call();
    auto const done = run(plan, calls);
    EXPECT_EQ(done.report(), "");
    EXPECT_EQ(differences(done.result.memory, model.memory()), "");
    EXPECT_GT(done.statistics.accesses, 0u);
  }
  /// Waits of the host for this reason, by their numbers.
  [[nodiscard]] std::vector<std::size_t> waits(plan::wait_reason reason) const {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < count_waits(plan); ++k) {
      auto const step = wait_at(plan, k);
      auto const* s = std::get_if<plan::synchronise>(&step.content);
      if (s != nullptr && s->reason == reason) result.push_back(k);
    }
    return result;
  }
};

block_spec state_of(std::vector<op_spec> ops) {
  return {block_kind::state, std::move(ops), 0, 0, {}, {}};
}

/// The inner symbol took the value of an outer one of its name, which had none yet.
TEST(FoundByRandomPrograms, ANestedSdfgAssignsASymbolThatTheOuterOneAssignsLater) {
  block_spec const assignment{block_kind::assignment, {}, 1, 1, {}, {}};
  block_spec const nested{
      block_kind::nested, {}, 1, 0, {assignment, state_of({{op_kind::map, 0, 1, 2, 0}})}, {}};
  fixture const f({4, 3, 0, {nested, assignment}}, {});
  EXPECT_TRUE(f.program.has.renamed_symbol);
  f.expect_correct();
}

/// The number of iterations was written as a call that nothing evaluates.
TEST(FoundByRandomPrograms, AMapWithAStep) {
  fixture const f({5, 3, 0, {state_of({{op_kind::map, 0, 0, 5, 3}})}}, {});
  ASSERT_EQ(f.plan.kernels.size(), 1u);
  EXPECT_TRUE(f.plan.kernels[0].dimensions[0].range.step.is_integer(2));
  f.expect_correct();
}

/// The parameter ends with the call; the copy from it may be still to come.
TEST(FoundByRandomPrograms, ACopyFromAByValueParameterIsWaitedForBeforeTheCallReturns) {
  fixture const f({4, 3, 0, {state_of({{op_kind::send, 0, 0, 0, 0}})}}, {});
  auto const waits = f.waits(plan::wait_reason::host_release);
  ASSERT_EQ(waits.size(), 1u);
  f.expect_correct(2);
  auto const faulty = f.run(without_wait(f.plan, waits[0]));
  ASSERT_FALSE(faulty.findings.empty());
  EXPECT_EQ(faulty.findings[0].kind, "host-race");
}

/// A copy from pageable memory may take its bytes when it is issued.
TEST(FoundByRandomPrograms, ACopyFromPageableMemoryWaitsForTheCopyIntoIt) {
  fixture const f(
      {4, 3, 0, {state_of({{op_kind::read_back, 0, 0, 0, 0}, {op_kind::send, 1, 0, 0, 0}})}}, {});
  auto const waits = f.waits(plan::wait_reason::host_read);
  ASSERT_EQ(waits.size(), 1u);
  f.expect_correct(2);
  auto const faulty = f.run(without_wait(f.plan, waits[0]));
  ASSERT_FALSE(faulty.findings.empty());
  EXPECT_EQ(faulty.findings[0].kind, "host-race");
}

} // namespace
} // namespace assay::fuzz
