#pragma once
/// \file Every order of a small program that can make a difference, in one process.
#include <cstdint>
#include <functional>
#include <vector>

#include "mockgpu/control.hpp"

namespace mockgpu {

struct explored {
  /// Inequivalent orders that were run, all there are. Two orders are equivalent if they differ
  /// only in the order of steps that do not conflict: steps that touch no common byte, allocation
  /// or status of an operation, or only read it. Choices that the vendors leave to the runtime
  /// (whether a call that may wait does so, when it reads pageable memory) count as orders.
  std::uint64_t orders = 0;
  std::uint64_t redundant_runs = 0; ///< that turned out to repeat an order
  std::uint64_t operations = 0;     ///< executed, all runs together
  std::uint64_t accesses = 0;       ///< checked, all runs together
  /// Of all orders, each identity once, with the token of the first run that had it.
  std::vector<finding> findings;
};

/// Runs `program` once for each inequivalent order of its operations and of the host's calls. Each
/// run begins with a mock that knows nothing of the others and ends with `finish`; the program
/// makes everything that it uses. One host thread; what host code does in pageable memory is no
/// step. \param chosen `schedule` and `seed` are of no account. \throws std::runtime_error after
/// `max_orders` orders, or "nondeterministic program: ..." where a
///         run does something else than the run whose beginning it repeats.
[[nodiscard]] explored explore(options const& chosen, std::function<void()> const& program);

} // namespace mockgpu
