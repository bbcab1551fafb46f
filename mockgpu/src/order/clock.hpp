#pragma once
/// \file Happens-before by vector clocks over chains. A chain is a sequence whose members are ordered by
/// themselves: one stream, or one host thread.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace mockgpu {

enum class chain_id : std::uint32_t {};
[[nodiscard]] constexpr std::size_t index(chain_id c) noexcept { return static_cast<std::size_t>(c); }

/// How many members of each chain are known to be before something. Shared by all operations between two
/// waits: immutable once published.
class vector_clock {
public:
  [[nodiscard]] std::uint64_t operator[](chain_id c) const noexcept {
    return index(c) < counts_.size() ? counts_[index(c)] : 0;
  }
  void raise(chain_id c, std::uint64_t count) {
    if (index(c) >= counts_.size()) counts_.resize(index(c) + 1, 0);
    counts_[index(c)] = std::max(counts_[index(c)], count);
  }
  void join(vector_clock const& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size(), 0);
    for (std::size_t k = 0; k < other.counts_.size(); ++k) counts_[k] = std::max(counts_[k], other.counts_[k]);
  }
  /// True if this knows everything that `other` knows.
  [[nodiscard]] bool covers(vector_clock const& other) const noexcept {
    for (std::size_t k = 0; k < other.counts_.size(); ++k)
      if (other.counts_[k] > (k < counts_.size() ? counts_[k] : 0)) return false;
    return true;
  }

private:
  std::vector<std::uint64_t> counts_;
};
using clock_base = std::shared_ptr<vector_clock const>;

/// Where something stands in the order: its own chain and sequence (from 1), the point of the host thread that
/// issued it, and what was known there by waits and joins. Fixed at issue.
struct position {
  chain_id chain{};
  std::uint64_t sequence = 0;
  chain_id host{};
  std::uint64_t host_sequence = 0;
  clock_base base;

  /// Is member `sequence` of `chain` guaranteed to be before this?
  [[nodiscard]] bool is_after(chain_id other, std::uint64_t other_sequence) const noexcept {
    if (other == chain && other_sequence < sequence) return true;
    if (other == host && other_sequence <= host_sequence) return true;
    return base != nullptr && (*base)[other] >= other_sequence;
  }
  /// Everything before this, and this.
  [[nodiscard]] vector_clock clock() const {
    vector_clock result = base != nullptr ? *base : vector_clock{};
    result.raise(chain, sequence);
    result.raise(host, host_sequence);
    return result;
  }
};

/// The union of both, without a copy where one covers the other.
[[nodiscard]] inline clock_base joined(clock_base const& a, clock_base const& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr) return b;
  if (a->covers(*b)) return a;
  if (b->covers(*a)) return b;
  auto result = std::make_shared<vector_clock>(*a);
  result->join(*b);
  return result;
}

} // namespace mockgpu
