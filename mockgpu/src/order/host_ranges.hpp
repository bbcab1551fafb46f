#pragma once
/// \file Pageable host memory, which has no shadow: ranges that operations in flight use, watched
/// from issue on, and ranges that hold copies of undefined bytes.
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "order/clock.hpp"

namespace mockgpu {

/// Pageable rows that an operation reads or writes at some time after its issue.
struct host_watch {
  std::uintptr_t begin = 0;
  std::size_t width_bytes = 0, pitch_bytes = 0, rows = 1;
  bool write = false; ///< the operation writes the rows
  order_point operation;
  /// Of the operation's call, or `no_site`.
  std::uint32_t site = no_site;
  static constexpr std::uint32_t no_site = UINT32_MAX;

  /// Whether all that may be said of the other can be said of this one: what is ordered after this
  /// one is ordered after the other, and findings name calls, not operations.
  [[nodiscard]] bool stands_for(host_watch const& other) const noexcept {
    return site == other.site && site != no_site && operation.chain == other.operation.chain &&
           begin == other.begin && width_bytes == other.width_bytes &&
           pitch_bytes == other.pitch_bytes && rows == other.rows && write == other.write;
  }
  [[nodiscard]] std::uintptr_t end() const noexcept {
    return begin + (rows - 1) * pitch_bytes + width_bytes;
  }
};

class host_ranges {
public:
  /// Watches a range from now on, in place of an earlier operation's that it stands for: a loop
  /// that never waits does not make each access slower than the one before.
  void watch(host_watch);
  /// The same for one row, which joins a watch of its operation that it continues.
  void extend(host_watch);
  /// Drops the watches of operations that are ordered before `now`, which is a place of the host.
  void drop_ordered(order_point const& now);
  /// The watched rows that [begin, end) meets, with their common part.
  struct hit {
    host_watch const* watch;
    std::uintptr_t begin, end;
  };
  [[nodiscard]] std::vector<hit> find(std::uintptr_t begin, std::uintptr_t end) const;

  /// Somebody has been told that [begin, end) is in use by two sides at once.
  void mark_raced(std::uintptr_t begin, std::uintptr_t end);
  [[nodiscard]] bool has_raced(std::uintptr_t begin, std::uintptr_t end) const noexcept;

  /// [begin, end) holds undefined bytes, copied by operation `issue`.
  void mark_undefined(std::uintptr_t begin, std::uintptr_t end, chain_index, issue_number issue);
  /// [begin, end) has been overwritten.
  void mark_defined(std::uintptr_t begin, std::uintptr_t end);
  struct undefined_range {
    std::uintptr_t begin, end;
    chain_index chain;
    issue_number issue;    ///< the copy that brought the bytes
    std::uintptr_t origin; ///< first byte of the range as the copy brought it
  };
  /// The undefined parts of [begin, end). Bytes that no longer hold the poison were overwritten by
  /// code without hooks: they are defined again.
  [[nodiscard]] std::vector<undefined_range> find_undefined(std::uintptr_t begin,
                                                            std::uintptr_t end);

private:
  void update_hull();
  std::vector<host_watch> watches_;
  std::map<std::uintptr_t, std::uintptr_t> raced_;      // ends by begins
  std::map<std::uintptr_t, undefined_range> undefined_; // by begin; disjoint
};

} // namespace mockgpu
