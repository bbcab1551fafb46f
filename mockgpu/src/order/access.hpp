#pragma once
/// \file The way of every load and store: a range compare, one shadow load, one look at a memo.
#include <array>
#include <cstdint>

#include "memory/arena.hpp"
#include "order/clock.hpp"
#include "order/history.hpp"

namespace mockgpu {

/// Who accesses memory now: an operation or a host thread, with the transitions it has made so far.
struct accessor {
  position where;
  std::uint64_t issue = 0; ///< of the operation; of the last call for host code
  bool is_host = false;
  bool runs_on_host = false; ///< host code in stream order: a host function

  std::uintptr_t arguments_begin = 0; ///< the kernel's own copy of its arguments
  std::size_t arguments_bytes = 0;

  /// A transition of a granule. `clean`: it needs no report.
  struct transition {
    history_id before = 0;
    std::uint32_t access = 0; ///< kind and bytes; 0: unused
    void const* code = nullptr;
    history_id after = 0;
    bool clean = false;
  };
  std::array<transition, 256> memo{};

  [[nodiscard]] transition& slot(history_id before, std::uint32_t access, void const* code) noexcept {
    std::size_t const h = before * 2654435761U ^ access * 40503U ^ (reinterpret_cast<std::uintptr_t>(code) >> 1);
    return memo[(h ^ (h >> 8)) % memo.size()];
  }
};

/// The operation that runs now; null in host code.
extern accessor* running_operation;
/// Loads and stores checked so far.
extern std::uint64_t access_count;

/// The access in general: host code, straddling granules, first transitions, faults.
/// \param aligned_to what a device demands of the address, in bytes; 1: nothing.
void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind, unsigned aligned_to,
                  void const* code) noexcept;

/// Every hooked access comes here, before it is made. `size_bytes` 1 to 16.
inline void access(std::uintptr_t address, unsigned size_bytes, access_kind kind, void const* code) noexcept {
  ++access_count;
  unsigned const shift = address % granule_bytes;
  if (running_operation != nullptr && in_arena(address) && shift + size_bytes <= granule_bytes &&
      address % size_bytes == 0) {
    auto const bytes = static_cast<byte_mask>(((1U << size_bytes) - 1) << shift);
    std::uint32_t const access = (static_cast<std::uint32_t>(kind) + 1) << 8 | bytes;
    history_id* const cell = shadow_of(address);
    auto const& known = running_operation->slot(*cell, access, code);
    if (known.before == *cell && known.access == access && known.code == code && known.clean) {
      if (known.after != *cell) *cell = known.after;
      return;
    }
  }
  check_access(address, size_bytes, kind, size_bytes, code);
}

/// A range of any size, as memcpy and its kin touch it.
inline void access_range(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                         void const* code) noexcept {
  ++access_count;
  if (size_bytes != 0) check_access(address, size_bytes, kind, 1, code);
}

} // namespace mockgpu
