#pragma once
/// \file Interned states of shadow cells: what happened to eight bytes, byte by byte.
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "order/clock.hpp"

namespace mockgpu {

using state_id = std::uint32_t; ///< 0 is none

/// What a byte remembers of each chain: its last read, write, atomic access and compare-and-swap;
/// and of all chains together, who defined it first. With these, the set of racing (chain, kind)
/// pairs is complete in every schedule.
enum class history_kind : std::uint8_t {
  read,
  write,
  atomic,
  swap, ///< compare-and-swap; plain reads by the same operation are its guesses, and no entries
  definition,
};

struct history_entry {
  issue_number issue;
  chain_index chain;
  history_kind kind;
  std::uint8_t mask; ///< bytes of the cell
  auto operator<=>(history_entry const&) const = default;
};

/// A state by value; `entries` sorted, no two of one chain and kind share a byte.
struct cell_state {
  std::uint32_t allocation = 0; ///< index of the allocation
  std::uint8_t addressable = 0; ///< bytes that lie inside the allocation
  std::uint8_t defined = 0;
  std::vector<history_entry> entries;
  bool operator==(cell_state const&) const = default;
};

/// Replaces what `state` remembers of (entry.chain, entry.kind) in the bytes of entry.mask.
void remember(cell_state& state, history_entry entry);
/// Forgets entries of `kind` in the bytes of `mask`.
void forget(cell_state& state, history_kind kind, std::uint8_t mask);
/// The bytes that an operation has accessed in that way.
[[nodiscard]] unsigned bytes_of(cell_state const& state, chain_index chain, issue_number issue,
                                history_kind kind) noexcept;

/// The states that exist. Numbers stay valid until `sweep`.
class state_table {
public:
  state_table();
  [[nodiscard]] state_id intern(cell_state const&);
  [[nodiscard]] cell_state const& operator[](state_id id) const { return states_[id]; }
  [[nodiscard]] std::size_t live_count() const { return live_count_; }
  /// One flag per number, to be set for the states that are to stay.
  [[nodiscard]] std::vector<bool> marks() const { return std::vector<bool>(states_.size(), false); }
  /// Drops every state without a mark; their numbers are given out again.
  void sweep(std::vector<bool> const& marks);

private:
  static std::uint64_t hash(cell_state const&) noexcept;
  std::vector<cell_state> states_;
  std::unordered_multimap<std::uint64_t, state_id> by_hash_;
  std::vector<state_id> unused_;
  std::size_t live_count_ = 0;
};

} // namespace mockgpu
