#pragma once
/// \file One run of a program as exploration sees it: what could have gone on at each point, what
/// did, and what that touched.
#include <cstdint>
#include <vector>

#include "order/clock.hpp"
#include "schedule/choices.hpp"
#include "schedule/footprint.hpp"

namespace mockgpu {

/// One step of a chain: an operation, or the host's way from one point to the next.
struct transition {
  chain_index chain = host_chain;
  std::uint64_t name = 0;           ///< of the operation; 0: the host
  std::uint64_t issue = 0;          ///< of the operation
  std::uint32_t host_step = 0;      ///< the host's step that this is, or that queued the operation
  std::vector<std::uint32_t> after; ///< the last issue of each chain that is ordered before
  footprint touched;
};

/// True if the program orders `a` before `b` in every run.
[[nodiscard]] bool ordered(transition const& a, transition const& b) noexcept;

/// A point of a run where something was chosen.
struct trace_point {
  choice what = choice::next_operation;
  std::uint32_t alternatives = 1;
  std::vector<chain_index> candidates; ///< of next_operation: who could go on, one per alternative
  std::uint32_t taken = 0;
  transition step; ///< of next_operation
};

/// A step that was tried at an earlier point and is independent of all that has happened since: to
/// go on with it would repeat an order. (Sleep sets: Godefroid, 1996.)
struct sleeper {
  chain_index chain = host_chain;
  footprint touched;
};
/// Those that still sleep after `step`.
[[nodiscard]] std::vector<sleeper> still_asleep(std::vector<sleeper> const&,
                                                transition const& step);

/// What a run is to do.
struct run_plan {
  std::vector<std::uint32_t> taken; ///< at the first points, then what is not asleep
  std::vector<sleeper> sleepers;    ///< at the last of these points
};

struct run_trace {
  std::vector<trace_point> points;
  bool redundant = false; ///< the rest of the run repeats another one; its points are left out
  bool cut = false;       ///< the run crashed, or ended itself, within a step
};

} // namespace mockgpu
