#pragma once
/// \file What is known of eight bytes of memory: interned, immutable states and the transitions between them.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "order/clock.hpp"

namespace mockgpu {

enum class access_kind : std::uint8_t { read, write, atomic, allocate, release };

/// A bit per byte of a granule of eight bytes.
using byte_mask = std::uint8_t;
inline constexpr unsigned granule_bytes = 8;

/// The last access of one kind by one chain to some bytes of a granule.
struct history_entry {
  chain_id chain{};
  access_kind kind{};
  byte_mask bytes = 0;
  std::uint64_t sequence = 0;
  std::uint64_t issue = 0; ///< of the operation, for reports; 0: host code
  void const* code = nullptr; ///< return address of the access, for reports
  friend bool operator==(history_entry const&, history_entry const&) = default;
};

struct history {
  std::vector<history_entry> entries; ///< sorted by chain, kind, sequence
  byte_mask defined = 0;
  byte_mask addressable = 0;
  bool free_issued = false; ///< a stream-ordered free of the block has been called
  friend bool operator==(history const&, history const&) = default;
};

/// Number of an interned history; 0: no live memory, ask the allocation table.
using history_id = std::uint32_t;

/// All histories that the shadow memory refers to.
class history_table {
public:
  history_table();
  [[nodiscard]] history_id intern(history);
  [[nodiscard]] history const& operator[](history_id id) const noexcept { return *all_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
  struct hash {
    std::size_t operator()(history const&) const noexcept;
  };
  std::vector<history const*> all_; ///< keys of ids_, which stay where they are
  std::unordered_map<history, history_id, hash> ids_;
};

/// `before` with an access added: it replaces the same chain's earlier access of the kind, byte by byte.
[[nodiscard]] history with_access(history before, history_entry const&);

/// May the two kinds touch the same bytes without an order?
[[nodiscard]] constexpr bool conflicts(access_kind a, access_kind b) noexcept {
  if (a == access_kind::read && b == access_kind::read) return false;
  return !(a == access_kind::atomic && b == access_kind::atomic);
}

} // namespace mockgpu
