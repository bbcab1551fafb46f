#pragma once
/// \file What all hooks share: the kinds of access, the shadow, and the memo of what the running
/// operation has done to a state before. Everything else is in `check_access`; a hook of one load
/// or store is in word_access.hpp.
#include <cstddef>
#include <cstdint>

#include "order/access_context.hpp"
#include "order/grid_access.hpp"

extern "C" constinit thread_local mockgpu::inline_view mockgpu_inline_view
    __attribute__((tls_model("initial-exec")));

namespace mockgpu {

/// What an access does to bytes.
enum class access_kind : std::uint8_t {
  read,
  write,
  atomic,          ///< reads and writes, and never races with another atomic access
  atomic_store,    ///< atomic; the old content is not used, or only handed on
  copy_read,       ///< by a copy: undefined bytes are passed on, not used
  write_undefined, ///< by a copy of undefined bytes
  compare_swap,    ///< atomic; what it demands to find is in `access_context::expected`
  atomic_load,     ///< atomic, without a write: it publishes nothing
};

/// The shadow: one 32-bit cell per 8 bytes of the mock's own memory (device arenas and pinned
/// memory). A cell holds the number of an interned state; 0 says to look the address up.
struct shadow_view {
  std::uintptr_t begin = 0; ///< first address of the mock's memory
  std::uintptr_t span = 0;  ///< bytes; 0 before the first allocation
  std::uint32_t* cells = nullptr;
  std::size_t stride = 1; ///< cell i lies at cells[i * stride]: 4 where it is part of a record
  std::uintptr_t watch_begin = 0; ///< hull of the pageable ranges that are watched
  std::uintptr_t watch_span = 0;
  std::uintptr_t variables_begin = 0; ///< hull of the program's variables that are device memory
  std::uintptr_t variables_span = 0;
  std::uintptr_t stacks_begin = 0; ///< stacks of device threads: nobody else's memory
  std::uintptr_t stacks_span = 0;
};
extern shadow_view shadow;
// Constant initialisation, by its name: a variable that might need code first is reached by a call.
extern constinit thread_local access_context* current_context
    __attribute__((tls_model("initial-exec")));

/// Checks one access before it is made; any size, any address. May not return: see
/// `bad_access_exit_code`. \param aligned_to the alignment that a device demands, in bytes; 1 for
/// accesses without a demand.
void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                  unsigned aligned_to, void const* return_address) noexcept;

/// Exit code of a process whose kernel is about to access memory that is not there.
inline constexpr int bad_access_exit_code = 70;

/// True while the calling thread runs an operation (kernel, copy, host function); false in host
/// code.
[[nodiscard]] inline bool in_operation() noexcept {
  return current_context != nullptr && current_context->operation;
}

[[nodiscard]] inline std::uint64_t memo_key(access_context const& context, std::uint32_t state,
                                            unsigned mask, access_kind kind) noexcept {
  return context.epoch_bits | std::uint64_t(kind) << 40 | std::uint64_t(mask) << 32 | state;
}
[[nodiscard]] inline unsigned memo_slot(std::uint64_t key) noexcept {
  return unsigned(key * 0x9E3779B97F4A7C15u >> (64 - access_context::memo_bits));
}

/// The cell of an address in the mock's own memory, by its offset.
[[nodiscard]] inline std::uint32_t& shadow_cell(std::uintptr_t offset) noexcept {
  return shadow.cells[(offset >> 3) * shadow.stride];
}

/// Accesses that the memo of states settles: of any kind, inside of one cell.
inline __attribute__((always_inline)) bool access_known_state(access_context& context,
                                                              std::uintptr_t offset,
                                                              unsigned size_bytes,
                                                              access_kind kind) noexcept {
  unsigned const byte = unsigned(offset & 7);
  if (byte + size_bytes > 8) return false;
  std::uint32_t& cell = shadow_cell(offset);
  std::uint32_t const state = cell;
  std::uint64_t const key = memo_key(context, state, ((1u << size_bytes) - 1) << byte, kind);
  memo_entry const& known = context.memo[memo_slot(key)];
  if (known.key != key) return false;
  if (known.next != state) cell = known.next;
  ++context.accesses;
  context.bytes += size_bytes;
  return true;
}

/// The sizes of the running grid: g++ hooks kernels' reads of them.
[[nodiscard]] inline __attribute__((always_inline)) bool
in_grid_sizes(std::uintptr_t address) noexcept {
  auto const inside = [address](unsigned const(&sizes)[3]) {
    return address - reinterpret_cast<std::uintptr_t>(sizes) < sizeof sizes;
  };
  return inside(mockgpu_block_dim) || inside(mockgpu_grid_dim);
}

/// The hook for a range of any size, and for loads and stores that demand no alignment.
inline void access_range(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                         void const* return_address) noexcept {
  if (address - shadow.begin >= shadow.span &&
      (current_context == nullptr || current_context->host_code) &&
      address + size_bytes - shadow.watch_begin >= shadow.watch_span + size_bytes &&
      address - shadow.variables_begin >= shadow.variables_span)
    return;
  check_access(address, size_bytes, kind, 1, return_address);
}

} // namespace mockgpu
