#pragma once
/// \file What one operation was caught doing, gathered until it ends, so that a race of a million
/// elements is one finding.
#include <cstddef>
#include <map>
#include <vector>

#include "mockgpu/findings.hpp"
#include "order/cell_state.hpp"

namespace mockgpu {

/// How a side of a violation touched the bytes.
enum class side_access : std::uint8_t { none, read, write, atomic, alloc, free };

/// The other side of a violation.
struct other_side {
  chain_index chain = host_chain;
  issue_number issue = 0;
  side_access access = side_access::none; ///< none: there is no other side
  auto operator<=>(other_side const&) const = default;
};

struct violation_key {
  char const* kind; ///< names of order/rules.hpp, compared as pointers
  char const* rule;
  std::uint32_t allocation; ///< 0: pageable memory at `base`, or none
  std::uintptr_t base;
  side_access access;
  other_side other;
  auto operator<=>(violation_key const&) const = default;
};

struct violation {
  void const* return_address = nullptr; ///< of the first access
  std::vector<byte_range> ranges;
  std::size_t merge_at = 65536; ///< ranges to gather before they are merged
};

using pending_violations = std::map<violation_key, violation>;

/// Adds bytes; contiguous accesses extend the last range.
void add_bytes(violation&, byte_range);
/// Takes bytes out; the ranges may come to be empty.
void remove_bytes(violation&, byte_range);

} // namespace mockgpu
