#pragma once
/// \file The token of a run: its schedule, and what the program did, so that a program that does
/// something else when the run is repeated is noticed.
///
/// Text: `<schedule>-<steps>-<checks>`, letters, digits and hyphens only. The schedule is `e<seed>`
/// (eager), `l<seed>` (lazy), `r<seed>` (random), `p<seed>d<depth>` (pct), or `x<decisions>`, all
/// decisions of one run in order. A check is three hexadecimal digits over `block_steps` steps.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mockgpu/control.hpp"

namespace mockgpu {

struct run_token {
  schedule_kind schedule = schedule_kind::eager; ///< never `replay`
  std::uint64_t seed = 1;
  unsigned depth = 0;              ///< of pct
  std::vector<unsigned> decisions; ///< of one exhaustive run; 0 after the last
  std::uint64_t steps = 0;         ///< noted so far
  std::vector<unsigned> checks;    ///< one for each block of steps, 12 bits each

  bool operator==(run_token const&) const = default;
};

/// So many steps make a block of a record of `steps`: the least power of two that leaves few
/// blocks, so that a token stays short and a small program is checked step by step.
[[nodiscard]] std::uint64_t block_steps(std::uint64_t steps) noexcept;

[[nodiscard]] std::string to_text(run_token const&);
/// \throws std::invalid_argument quoting the text that is no token.
[[nodiscard]] run_token parse_token(std::string_view);

} // namespace mockgpu
