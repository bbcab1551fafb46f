#include "order/cell_state.hpp"

#include <algorithm>

namespace mockgpu {

void remember(cell_state& state, history_entry entry) {
  auto& entries = state.entries;
  for (history_entry& old : entries) {
    if (old.chain != entry.chain || old.kind != entry.kind) continue;
    if (old.issue == entry.issue) entry.mask |= old.mask;
    old.mask &= std::uint8_t(~entry.mask);
  }
  std::erase_if(entries, [](history_entry const& old) { return old.mask == 0; });
  entries.insert(std::upper_bound(entries.begin(), entries.end(), entry), entry);
}

void forget(cell_state& state, history_kind kind, std::uint8_t mask) {
  for (history_entry& old : state.entries)
    if (old.kind == kind) old.mask &= std::uint8_t(~mask);
  std::erase_if(state.entries, [](history_entry const& old) { return old.mask == 0; });
}

unsigned bytes_of(cell_state const& state, chain_index chain, issue_number issue,
                  history_kind kind) noexcept {
  unsigned mask = 0;
  for (history_entry const& one : state.entries)
    if (one.chain == chain && one.issue == issue && one.kind == kind) mask |= one.mask;
  return mask;
}

state_table::state_table() { states_.emplace_back(); }

std::uint64_t state_table::hash(cell_state const& state) noexcept {
  std::uint64_t h = std::uint64_t(state.allocation) << 16 | state.addressable << 8 | state.defined;
  auto const mix = [&h](std::uint64_t value) {
    h = (h ^ value) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  for (history_entry const& e : state.entries)
    mix(std::uint64_t(e.issue) << 32 | std::uint64_t(e.chain) << 16 | std::uint64_t(e.kind) << 8 |
        e.mask);
  mix(state.entries.size());
  return h;
}

state_id state_table::intern(cell_state const& state) {
  std::uint64_t const h = hash(state);
  for (auto [it, end] = by_hash_.equal_range(h); it != end; ++it)
    if (states_[it->second] == state) return it->second;
  state_id id;
  if (!unused_.empty()) {
    id = unused_.back();
    unused_.pop_back();
    states_[id] = state;
  } else {
    id = state_id(states_.size());
    states_.push_back(state);
  }
  by_hash_.emplace(h, id);
  ++live_count_;
  return id;
}

void state_table::sweep(std::vector<bool> const& marks) {
  for (auto it = by_hash_.begin(); it != by_hash_.end();) {
    state_id const id = it->second;
    if (marks[id]) {
      ++it;
      continue;
    }
    states_[id] = {};
    unused_.push_back(id);
    --live_count_;
    it = by_hash_.erase(it);
  }
  // Numbers are an implementation detail, but their order must not follow a hash table's.
  std::sort(unused_.begin(), unused_.end(), std::greater<>());
}

} // namespace mockgpu
