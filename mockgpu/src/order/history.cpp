#include "order/history.hpp"

#include <algorithm>
#include <tuple>

namespace mockgpu {
namespace {

auto key(history_entry const& e) { return std::tuple(e.chain, e.kind, e.sequence, e.code); }

void mix(std::size_t& seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
}

} // namespace

std::size_t history_table::hash::operator()(history const& h) const noexcept {
  std::size_t seed = h.defined | (std::size_t{h.addressable} << 8) | (std::size_t{h.free_issued} << 16);
  for (auto const& e : h.entries) {
    mix(seed, index(e.chain) << 16 | static_cast<std::uint64_t>(e.kind) << 8 | e.bytes);
    mix(seed, e.sequence);
    mix(seed, reinterpret_cast<std::uintptr_t>(e.code));
  }
  return seed;
}

history_table::history_table() {
  static history const no_memory;
  all_.push_back(&no_memory);
}

history_id history_table::intern(history h) {
  auto const [found, is_new] = ids_.try_emplace(std::move(h), static_cast<history_id>(all_.size()));
  if (is_new) all_.push_back(&found->first);
  return found->second;
}

history with_access(history before, history_entry const& access) {
  auto& entries = before.entries;
  history_entry added = access;
  // The first place where an operation touches a byte is the one that is reported.
  for (auto const& e : entries)
    if (e.chain == added.chain && e.kind == added.kind && e.sequence == added.sequence)
      added.bytes = static_cast<byte_mask>(added.bytes & ~e.bytes);
  if (added.bytes == 0) return before;
  for (auto& e : entries)
    if (e.chain == added.chain && e.kind == added.kind)
      e.bytes = static_cast<byte_mask>(e.bytes & ~added.bytes);
  std::erase_if(entries, [](history_entry const& e) { return e.bytes == 0; });
  // The same access to other bytes of the granule extends its entry.
  for (auto& e : entries)
    if (key(e) == key(added)) {
      e.bytes = static_cast<byte_mask>(e.bytes | added.bytes);
      return before;
    }
  entries.insert(std::ranges::upper_bound(entries, key(added), {}, key), added);
  return before;
}

} // namespace mockgpu
