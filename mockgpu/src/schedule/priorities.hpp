#pragma once
/// \file Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS
/// 2010): of everything that could go on, what has the highest priority does; priorities are
/// random, and at `depth` - 1 random steps the one that was to go on drops below all others. An
/// order fault of that depth among n chains and k steps shows with a chance of at least 1 / (n
/// k^(depth-1)).
#include <cstdint>
#include <vector>

#include "order/clock.hpp"
#include "schedule/choices.hpp"

namespace mockgpu {

class priorities {
public:
  /// The host has its priority from the start.
  explicit priorities(choices&);

  void add(chain_index);
  [[nodiscard]] bool above(chain_index a, chain_index b) const noexcept {
    return values_[a] > values_[b];
  }
  /// One step of `chain` is about to be made. \returns true if it lost its priority instead.
  [[nodiscard]] bool drops(chain_index chain);
  /// Puts a chain below all others: it polls and needs the others to go on.
  void lower(chain_index chain) { values_[chain] = --lowest_; }

private:
  choices& choices_;
  std::vector<std::int64_t> values_;
  std::int64_t lowest_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::uint64_t> changes_; // steps, sorted
  std::size_t next_change_ = 0;
};

} // namespace mockgpu
