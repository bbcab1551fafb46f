/// \file Properties of whole plans on mockgpu: results, order, lifetimes.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "arbitrary.hpp"
#include "assay/mix.hpp"
#include "fuzz/differences.hpp"
#include "fuzz/drop_wait.hpp"
#include "fuzz/generate.hpp"
#include "run_on_mock.hpp"
#include "shares.hpp"

namespace assay::fuzz {
namespace {

struct prepared {
  generated_program program;
  std::map<std::string, words> content;
  plan::program plan;

  explicit prepared(case_spec const& c)
      : program(build(c.program)),
        content(initial_content(program.graph, program.symbols, c.run.seed)) {
    sdfg::verify(program.graph);
    plan = plan::lower(program.graph, c.run.chosen);
  }
  void fill(std::uint64_t seed) { content = initial_content(program.graph, program.symbols, seed); }
  [[nodiscard]] checked_run run(run_spec const& how, std::size_t withheld_bytes = 0) const {
    return run_on_mock(plan, program.symbols, content, how, withheld_bytes);
  }
  [[nodiscard]] checked_run run_with_oracle(run_spec const& how) const {
    return run_on_mock(plan, program.symbols, content, how, 0, true);
  }
  [[nodiscard]] std::map<std::string, words> expected(int calls) const {
    sequential_model model(program.graph, program.symbols, content);
    for (int k = 0; k < calls; ++k) model.call();
    return model.memory();
  }
};

std::string describe(plan::step const& step) {
  if (std::holds_alternative<plan::stream_wait>(step.content)) return "stream wait";
  switch (std::get<plan::synchronise>(step.content).reason) {
  case plan::wait_reason::host_read:
    return "wait for a host read";
  case plan::wait_reason::host_write:
    return "wait for a host write";
  case plan::wait_reason::host_release:
    return "wait for a host release";
  case plan::wait_reason::timer:
    return "wait for a timer";
  case plan::wait_reason::call_end:
    return "wait at the end of the call";
  }
  return {};
}

void require(checked_run const& run, std::map<std::string, words> const& expected) {
  if (run.result.refused) throw violation{"refused: " + *run.result.refused};
  if (!run.findings.empty()) throw violation{run.report()};
  if (auto const text = differences(run.result.memory, expected); !text.empty())
    throw violation{text};
}

void report(check_result const& result, int cases) {
  if (!result.failure.empty()) ADD_FAILURE() << result.failure;
  std::cout << static_cast<int>(cases / result.seconds) << " cases per second of one core, seed "
            << result.seed << "\n";
}
void report(check_result const& result) { report(result, result.cases); }

/// The ways one program is run: making and lowering it costs more than a run does.
constexpr int runs_per_program = 6;

/// The case's own run first, then others with data of their own: every schedule, and every kind of
/// stream of the caller's, comes about twice. What the text of the program depends on stays.
run_spec variation(run_spec how, int k) {
  if (k == 0) return how;
  how.seed = mix(how.seed, static_cast<std::uint64_t>(k));
  how.schedule = static_cast<std::uint8_t>((how.schedule + k) % 3);
  how.stream = static_cast<caller_stream>((static_cast<int>(how.stream) + k / 2) % 3);
  how.larger_workspace ^= k % 2 == 1;
  return how;
}

TEST(Order, RandomProgramsAgreeWithTheModelAndAreFreeOfFindings) {
  shares seen;
  std::uint64_t accesses = 0;
  int cases = 0;
  auto const result = check("order", 1000, [&](case_spec const& c) {
    prepared p(c);
    for (int k = 0; k < runs_per_program; ++k) {
      auto const how = variation(c.run, k);
      p.fill(how.seed);
      auto const run = p.run(how);
      try {
        require(run, p.expected(how.calls));
        bool const ran = run.result.counts.launches + run.result.counts.copies > 0;
        if (ran && run.statistics.accesses == 0) throw violation{"the checker saw nothing"};
      } catch (violation const& v) {
        std::ostringstream in;
        in << v.message << "in: " << how;
        throw violation{in.str()};
      }
      accesses += run.statistics.accesses;
      ++cases;
    }
    seen.count(p.program.has, p.plan);
  });
  report(result, cases);
  std::cout << seen << "; " << cases << " runs, " << accesses << " accesses checked\n";
  EXPECT_GE(cases, result.cases * runs_per_program);
  EXPECT_GE(seen.joined_streams(), 0.2);
  EXPECT_GE(seen.device_conditions(), 0.2);
  EXPECT_GE(seen.loops(), 0.2);
  EXPECT_GE(seen.renamed(), 0.1);
  EXPECT_GE(seen.zero_sizes(), 0.05);
  EXPECT_GE(seen.jumps(), 0.05);
  EXPECT_GE(seen.host_transients(), 0.1);
}

TEST(Order, TheScheduleAndTheKindOfCallDoNotChangeResults) {
  auto const result = check("schedules", 150, [](case_spec const& c) {
    case_spec asynchronous = c, synchronous = c;
    asynchronous.run.chosen.call = call_kind::async;
    synchronous.run.chosen.call = call_kind::sync;
    prepared const a(asynchronous), s(synchronous);
    auto const expected = a.expected(c.run.calls);
    for (std::uint8_t schedule = 0; schedule < 3; ++schedule) {
      run_spec how = asynchronous.run;
      how.schedule = schedule;
      require(a.run(how), expected);
      how.chosen.call = call_kind::sync;
      require(s.run(how), expected);
    }
  });
  report(result);
}

TEST(Order, TwoCallsInARowAgreeWithTwoRunsOfTheModel) {
  int changed = 0;
  auto const result = check("two calls", 300, [&](case_spec const& c) {
    prepared const p(c);
    run_spec how = c.run;
    how.calls = 2;
    auto const once = p.expected(1), twice = p.expected(2);
    require(p.run(how), twice);
    changed += once != twice;
  });
  report(result);
  EXPECT_GE(changed, result.cases / 5) << "the second call must have something to do";
}

TEST(Order, AWorkspaceOneByteShortIsRefusedAndNeverRun) {
  int refused = 0;
  auto const result = check("short workspace", 400, [&](case_spec const& c) {
    case_spec external = c;
    external.run.chosen.mode = memory_mode::external;
    external.run.larger_workspace = false;
    prepared const p(external);
    auto const exact = p.run(external.run);
    require(exact, p.expected(c.run.calls));
    if (!exact.result.had_workspace) return;
    auto const run = p.run(external.run, 1);
    auto const needs = [&](plan::workspace const& w) {
      return evaluate_integer(w.size_bytes, p.program.symbols);
    };
    auto const& w =
        *std::ranges::find_if(p.plan.workspaces, [&](auto const& slab) { return needs(slab) > 0; });
    auto const needed = needs(w);
    std::string const message = "workspace for " + w.storage + ": " + std::to_string(needed - 1) +
                                " bytes given, " + std::to_string(needed) + " needed";
    if (run.result.refused != message)
      throw violation{"not refused with \"" + message +
                      "\" but: " + run.result.refused.value_or("no refusal")};
    if (run.result.counts.launches + run.result.counts.copies + run.result.counts.host_steps > 0)
      throw violation{"something ran"};
    if (!run.findings.empty()) throw violation{run.report()};
    if (auto const text = differences(run.result.memory, p.content); !text.empty())
      throw violation{"arguments changed: " + text};
    ++refused;
  });
  report(result);
  std::cout << refused << " refused\n";
  EXPECT_GE(refused, result.cases / 3);
}

/// Needed: the oracle sees a race in the very same run.
TEST(Order, DroppingANeededWaitIsFoundAndNoOtherOneIsReported) {
  struct row {
    int ran = 0, needed = 0;
  };
  std::map<std::string, row> by_kind;
  int needed = 0;
  auto const result = check("dropped wait", 500, [&](case_spec const& c) {
    prepared p(c);
    auto const waits = count_waits(p.plan);
    if (waits == 0) return;
    auto const which = c.run.seed % waits;
    auto const whole = p.run_with_oracle(c.run);
    require(whole, p.expected(c.run.calls)); // the correct twin is silent
    if (!whole.races.empty())
      throw violation{"the oracle sees a race between " + whole.races.front().first + " and " +
                      whole.races.front().second};
    auto const step = wait_at(p.plan, which);
    p.plan = without_wait(std::move(p.plan), which);
    auto const faulty = p.run_with_oracle(c.run);
    if (faulty.races.empty() != faulty.findings.empty())
      throw violation{faulty.races.empty()
                          ? "reported without need:\n" + faulty.report()
                          : "not reported: " + faulty.races.front().first + " and " +
                                faulty.races.front().second + ", without\n  " + describe(step)};
    auto const waited = [](checked_run const& r) {
      return r.result.counts.stream_waits + r.result.counts.synchronisations;
    };
    bool const ran = !faulty.findings.empty() || waited(faulty) != waited(whole);
    auto& row = by_kind[describe(step)];
    row.ran += ran;
    row.needed += !faulty.races.empty();
    needed += !faulty.races.empty();
  });
  report(result);
  for (auto const& [kind, row] : by_kind)
    std::cout << kind << ": " << row.needed << " needed and found, " << row.ran << " ran\n";
  EXPECT_GE(needed * 5, result.cases);
}

} // namespace
} // namespace assay::fuzz
