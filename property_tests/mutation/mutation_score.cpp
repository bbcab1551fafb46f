/// \file How many single faults of a plan the checker catches, by kind and schedule. A fixed sample
/// of programs; ASSAY_MUTATION_PROGRAMS sets their number, ASSAY_MUTATION_PER_KIND the places of
/// each kind that are tried in each program (0: all).
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "fuzz/differences.hpp"
#include "fuzz/draw.hpp"
#include "fuzz/generate.hpp"
#include "fuzz_process.hpp"
#include "mutation/mutations.hpp"
#include "run_on_mock.hpp"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, 3> schedules{"eager", "lazy", "random"};

std::size_t number_from(char const* variable, std::size_t otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::stoul(text);
}

run_spec settings_of(std::uint64_t index) {
  run_spec how;
  how.chosen.mode = static_cast<memory_mode>(index % 4);
  how.chosen.layout = workspace_layout::reuse;
  how.chosen.own_streams = index / 4 % 2 == 0 ? settings::as_needed : 0;
  how.chosen.call = index / 8 % 2 == 0 ? call_kind::async : call_kind::sync;
  how.stream = caller_stream::non_blocking;
  how.calls = 2;
  how.seed = index + 1;
  return how;
}

struct subject {
  generated_program program;
  run_spec how;
  std::map<std::string, words> content, expected;
  plan::program plan;

  explicit subject(std::uint64_t index) : how(settings_of(index)) {
    random_source random(20261130, "program", index);
    program = build(draw_program(random));
    content = initial_content(program.graph, program.symbols, how.seed);
    sequential_model model(program.graph, program.symbols, content);
    for (int k = 0; k < how.calls; ++k) model.call();
    expected = model.memory();
    plan = plan::lower(program.graph, how.chosen);
  }
};

/// What one schedule showed: 'r' the oracle sees a race, 'd' results differ, 'f' findings.
std::string seen_in(subject const& s, plan::program const& plan, std::size_t schedule) {
  run_spec how = s.how;
  how.schedule = static_cast<std::uint8_t>(schedule);
  std::string seen;
  try {
    checked_run const run = run_on_mock(plan, s.program.symbols, s.content, how, 0, true);
    if (!run.races.empty()) seen += 'r';
    if (run.result.refused || !differences(run.result.memory, s.expected).empty()) seen += 'd';
    if (!run.findings.empty()) seen += 'f';
  } catch (error const&) {
    seen += "d"; // the runtime refused a call
  }
  return seen;
}

/// Of one mutant in all schedules, a process each: some end it.
std::array<std::string, schedules.size()> seen_of(subject const& s, plan::program const& plan) {
  std::array<std::string, schedules.size()> seen;
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    auto const child =
        tool::isolated([&] { return seen_in(s, plan, k); }, std::chrono::seconds(20));
    // A process that ends by the fault shows it to everybody.
    seen[k] = child.death.empty() ? child.text : "df";
  }
  return seen;
}

struct row {
  int applied = 0, changed = 0, reported_only = 0;
  std::array<int, schedules.size()> caught{};
};

TEST(MutationScore, EveryFaultThatBreaksAGuaranteeIsCaughtInEverySchedule) {
  auto const programs = number_from("ASSAY_MUTATION_PROGRAMS", 8);
  auto const per_kind = number_from("ASSAY_MUTATION_PER_KIND", 2);
  std::map<mutation_kind, row> rows;
  std::string survivors;
  for (std::uint64_t index = 0; index < programs; ++index) {
    subject const s(index);
    for (std::string const& seen : seen_of(s, s.plan))
      EXPECT_EQ(seen, "") << "the program without a fault, number " << index;
    for (int k = 0; k < mutation_kind_count; ++k) {
      auto const kind = static_cast<mutation_kind>(k);
      std::vector<plan::program> all = mutants(s.plan, kind);
      std::size_t const step = per_kind == 0 ? 1 : all.size() / per_kind + 1;
      for (std::size_t at = index % step; at < all.size(); at += step) {
        auto const seen = seen_of(s, all[at]);
        row& r = rows[kind];
        ++r.applied;
        bool changed = false, caught = false;
        for (std::string const& one : seen) {
          changed |= one.find_first_of("rd") != std::string::npos;
          caught |= one.find_first_of("df") != std::string::npos;
        }
        r.reported_only += caught && !changed;
        if (!changed) continue;
        ++r.changed;
        for (std::size_t which = 0; which < schedules.size(); ++which) {
          bool const is_caught = seen[which].find_first_of("df") != std::string::npos;
          r.caught[which] += is_caught;
          if (!is_caught)
            survivors += fmt::format("  {} in {}, program {}, place {} ({}): {} | {} | {}\n",
                                     name(kind), schedules[which], index, at,
                                     assay::name(s.how.chosen.mode), seen[0], seen[1], seen[2]);
        }
      }
    }
  }
  std::cout << "kind              applied  changed  eager  lazy  random  reported only\n";
  int changed = 0;
  for (auto const& [kind, r] : rows) {
    std::cout << fmt::format("{:<17} {:>7} {:>8} {:>6} {:>5} {:>7} {:>14}\n", name(kind), r.applied,
                             r.changed, r.caught[0], r.caught[1], r.caught[2], r.reported_only);
    changed += r.changed;
  }
  std::cout << "survivors:\n" << (survivors.empty() ? "  none\n" : survivors);
  EXPECT_EQ(survivors, "");
  EXPECT_GE(changed, static_cast<int>(programs)) << "faults that change nothing test nothing";
}

} // namespace
} // namespace assay::fuzz
