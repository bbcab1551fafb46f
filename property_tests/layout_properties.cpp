/// \file Properties of workspace layouts over random programs and random sizes, without running
/// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "arbitrary.hpp"
#include "fuzz/generate.hpp"
#include "plan/liveness.hpp"
#include "plan/walk.hpp"

namespace assay::fuzz {
namespace {

std::int64_t value(expression const& e, symbol_values const& symbols) {
  return evaluate_integer(e, symbols);
}

std::int64_t size_of(plan::program const& p, std::string const& storage,
                     symbol_values const& symbols) {
  for (auto const& w : p.workspaces)
    if (w.storage == storage) return value(w.size_bytes, symbols);
  return 0;
}

plan::program lowered(sdfg::graph const& graph, settings chosen, workspace_layout layout) {
  chosen.mode = memory_mode::external;
  chosen.layout = layout;
  return plan::lower(graph, chosen);
}

/// Every symbol of a program that may be of any size, from below zero to sizes past 4 GiB.
symbol_values resized(symbol_values symbols, std::uint64_t seed) {
  for (auto& [name, v] : symbols) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    switch (seed >> 61) {
    case 0:
      v = -static_cast<std::int64_t>(seed >> 40 & 7);
      break;
    case 1:
      v = static_cast<std::int64_t>(seed >> 30 & 0xfffffff);
      break; // squares pass 2^32
    default:
      v = static_cast<std::int64_t>(seed >> 40 & 0xff);
      break;
    }
  }
  return symbols;
}

TEST(Layout, ReuseNeedsNoMoreThanAlignedAndNoLessThanTheLargestSetThatLivesTogether) {
  int workspaces = 0, smaller = 0, huge = 0;
  auto const result = check("layouts", 600, [&](case_spec const& c) {
    auto const program = build(c.program);
    auto const symbols = resized(program.symbols, c.run.seed);
    auto const packed = lowered(program.graph, c.run.chosen, workspace_layout::packed);
    auto const aligned = lowered(program.graph, c.run.chosen, workspace_layout::aligned);
    auto const reuse = lowered(program.graph, c.run.chosen, workspace_layout::reuse);
    plan::lifetimes const lives(reuse);
    for (auto const& w : reuse.workspaces) {
      auto const reused = value(w.size_bytes, symbols);
      auto const whole = size_of(aligned, w.storage, symbols);
      if (reused > whole)
        throw violation{"reuse needs " + std::to_string(reused) + ", aligned " +
                        std::to_string(whole)};
      if (size_of(packed, w.storage, symbols) > whole) throw violation{"packed is the largest"};
      for (auto const& set : lives.sets()) {
        std::int64_t together = 0;
        for (auto const& entry : w.entries)
          if (std::ranges::find(set, entry.buffer) != set.end())
            together += value(entry.size_bytes, symbols);
        if (reused < together)
          throw violation{"reuse needs " + std::to_string(reused) + ", arrays that live together " +
                          std::to_string(together)};
      }
      for (auto const& entry : w.entries) {
        auto const offset = value(entry.offset_bytes, symbols);
        if (offset % 256 != 0) throw violation{"an offset is not aligned"};
        if (offset + value(entry.size_bytes, symbols) > reused)
          throw violation{"an array ends behind the slab"};
      }
      ++workspaces;
      smaller += reused < whole;
      huge += whole > (std::int64_t{1} << 32);
    }
    if (auto const o = plan::find_overlap(reuse, symbols))
      throw violation{"arrays that live together share bytes"};
    if (plan::to_text(reuse) !=
        plan::to_text(lowered(program.graph, c.run.chosen, workspace_layout::reuse)))
      throw violation{"two lowerings differ"};
  });
  if (!result.failure.empty()) FAIL() << result.failure;
  std::cout << workspaces << " workspaces, smaller by reuse " << smaller << ", past 4 GiB " << huge
            << ", " << static_cast<int>(result.cases / result.seconds) << " cases per second\n";
  EXPECT_GE(smaller, workspaces / 10);
  EXPECT_GE(huge, 10);
}

TEST(Layout, APlantedOverlapOfLiveArraysIsFound) {
  int planted = 0;
  auto const result = check("planted overlaps", 200, [&](case_spec const& c) {
    auto const program = build(c.program);
    auto p = lowered(program.graph, c.run.chosen, workspace_layout::reuse);
    plan::lifetimes const lives(p);
    for (auto& w : p.workspaces)
      for (auto& a : w.entries)
        for (auto const& b : w.entries) {
          if (&a == &b || !lives.live_together(a.buffer, b.buffer)) continue;
          if (value(a.size_bytes, program.symbols) == 0 ||
              value(b.size_bytes, program.symbols) == 0)
            continue;
          auto const before = std::exchange(a.offset_bytes, b.offset_bytes);
          if (!plan::find_overlap(p, program.symbols)) throw violation{"the overlap is not found"};
          a.offset_bytes = before;
          ++planted;
        }
  });
  if (!result.failure.empty()) FAIL() << result.failure;
  EXPECT_GE(planted, 100);
}

/// The highest stream number of a list of steps and of all inside it.
int highest_stream(plan::step_list const& list) {
  int highest = -1;
  plan::for_each_step(list, [&](plan::step const& s) {
    std::visit(
        [&](auto const& x) {
          if constexpr (requires { x.stream; })
            highest = std::max(highest, static_cast<int>(index(x.stream)));
        },
        s.content);
  });
  return highest;
}

// Upstream takes counts of nested SDFGs for numbers, and the smaller of two counts for the larger.
TEST(Streams, EveryNumberIsBelowTheCountInNestedProgramsToo) {
  int nested = 0, several = 0;
  auto const result = check("stream numbers", 300, [&](case_spec const& c) {
    auto const program = build(c.program);
    nested += program.has.renamed_symbol;
    for (int const streams : {1, 2, 3, settings::as_needed}) {
      settings chosen = c.run.chosen;
      chosen.target = target::cuda;
      chosen.own_streams = streams;
      auto const p = plan::lower(program.graph, chosen);
      auto const highest = highest_stream(p.body);
      if (highest >= p.stream_count)
        throw violation{"stream " + std::to_string(highest) + " of " +
                        std::to_string(p.stream_count)};
      if (streams == settings::as_needed) several += p.stream_count > 1;
    }
  });
  if (!result.failure.empty()) FAIL() << result.failure;
  EXPECT_GE(nested, 30);
  EXPECT_GE(several, 60);
}

} // namespace
} // namespace assay::fuzz
