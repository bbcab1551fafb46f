#pragma once
/// \file Pageable host memory has no shadow. What the checker must know of it is kept as ranges: those that queued
/// copies will read or write, and those that hold undefined bytes copied from the device.
#include <cstdint>
#include <map>
#include <vector>

#include "order/history.hpp"

namespace mockgpu {

/// A range that a queued operation reads or writes, from its issue until the host has waited for it.
struct watched_range {
  std::uintptr_t begin = 0, end = 0;
  access_kind kind{};
  chain_id chain{};
  std::uint64_t sequence = 0;
  std::uint64_t issue = 0;
  [[nodiscard]] bool overlaps(std::uintptr_t from, std::uintptr_t to) const noexcept {
    return from < end && begin < to;
  }
};

/// Disjoint ranges of host memory with undefined content, and where each came from.
class undefined_ranges {
public:
  struct source {
    std::uintptr_t end = 0;
    std::uint64_t issue = 0; ///< of the copy
  };
  void add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t issue);
  void remove(std::uintptr_t begin, std::uintptr_t end);
  /// The first undefined range that overlaps, as (begin, source); null if none.
  [[nodiscard]] std::map<std::uintptr_t, source>::value_type const* find(std::uintptr_t begin,
                                                                         std::uintptr_t end) const;
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  [[nodiscard]] std::uintptr_t low() const { return ranges_.begin()->first; }
  [[nodiscard]] std::uintptr_t high() const { return ranges_.rbegin()->second.end; }

private:
  std::map<std::uintptr_t, source> ranges_;
};

} // namespace mockgpu
