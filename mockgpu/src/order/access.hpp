#pragma once
/// \file What a hook does for one load or store: a range compare, a shadow load and a compare with
/// the memo of the running operation. Everything else is in `check_access`.
#include <cstddef>
#include <cstdint>

#include "order/thread_cells.hpp"

namespace mockgpu {

/// What an access does to bytes.
enum class access_kind : std::uint8_t {
  read,
  write,
  atomic,          ///< reads and writes, and never races with another atomic access
  atomic_store,    ///< atomic, without a use of the old content
  copy_read,       ///< by a copy: undefined bytes are passed on, not used
  write_undefined, ///< by a copy of undefined bytes
};

/// One remembered transition: this state, accessed so, becomes `next`, and nothing is to be said.
struct memo_entry {
  std::uint64_t key = 0;
  std::uint32_t next = 0;
};

/// Who accesses: an operation while it runs, or the host code of one thread.
struct access_context {
  static constexpr unsigned memo_bits = 8;
  memo_entry memo[1u << memo_bits];
  std::uint64_t epoch_bits =
      0;                      ///< upper bits of every valid key; changed to forget the memo at once
  std::uint64_t accesses = 0; ///< checked by this context
  std::uint64_t bytes = 0;
  bool host_code = true; ///< host code: outside operations, or in a host function
  bool operation = false;
  void* host_function = nullptr; ///< what the checker keeps of the host function that runs here
};

/// The shadow: one 32-bit cell per 8 bytes of the mock's own memory (device arenas and pinned
/// memory). A cell holds the number of an interned state; 0 says to look the address up.
struct shadow_view {
  std::uintptr_t begin = 0; ///< first address of the mock's memory
  std::uintptr_t span = 0;  ///< bytes; 0 before the first allocation
  std::uint32_t* cells = nullptr;
  std::uintptr_t watch_begin = 0; ///< hull of the pageable ranges that are watched
  std::uintptr_t watch_span = 0;
  std::uintptr_t variables_begin = 0; ///< hull of the program's variables that are device memory
  std::uintptr_t variables_span = 0;
};
extern shadow_view shadow;
extern thread_local access_context* current_context __attribute__((tls_model("initial-exec")));

/// Checks one access before it is made; any size, any address. May not return: see
/// `bad_access_exit_code`. \param aligned_to the alignment that a device demands, in bytes; 1 for
/// accesses without a demand.
void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                  unsigned aligned_to, void const* return_address) noexcept;

/// The same in the order of the running grid's threads only.
void check_thread_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                         void const* return_address) noexcept;

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

/// The hook for a load or store of 1, 2, 4, 8 or 16 bytes, a constant, which demands that
/// alignment.
inline __attribute__((always_inline)) void access(std::uintptr_t address, unsigned size_bytes,
                                                  access_kind kind,
                                                  void const* return_address) noexcept {
  access_context* const context = current_context;
  std::uintptr_t const offset = address - shadow.begin;
  if (offset < shadow.span) {
    unsigned const byte = unsigned(offset & 7);
    if (byte + size_bytes <= 8 && context != nullptr) {
      std::uint32_t& cell = shadow.cells[offset >> 3];
      std::uint32_t const state = cell;
      std::uint64_t const key = memo_key(*context, state, ((1u << size_bytes) - 1) << byte, kind);
      memo_entry const& known = context->memo[memo_slot(key)];
      if (known.key == key) {
        if (known.next != state) cell = known.next;
        ++context->accesses;
        context->bytes += size_bytes;
        if (grid_view.active && context->operation)
          check_thread_access(address, size_bytes, kind, return_address);
        return;
      }
    }
  } else if (context == nullptr || context->host_code) {
    // Host code in its own memory: of interest only where an operation in flight uses it too.
    if (address + size_bytes - shadow.watch_begin >= shadow.watch_span + size_bytes &&
        address - shadow.variables_begin >= shadow.variables_span)
      return;
  }
  check_access(address, size_bytes, kind, size_bytes, return_address);
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
