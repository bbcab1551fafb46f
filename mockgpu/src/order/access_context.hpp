#pragma once
/// \file What a hook knows of whoever accesses memory: transitions of the shadow's states that have
/// been judged, so that the next access like them is a look-up.
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mockgpu {

/// One remembered transition: this state, accessed so, becomes `next`, and nothing is to be said.
struct memo_entry {
  std::uint64_t key = 0;
  std::uint32_t next = 0;
};

/// The same for plain accesses of 8 or 4 aligned bytes, found by the state alone.
struct quick_entry {
  static constexpr std::uint32_t unused = ~std::uint32_t{0};
  std::uint32_t state = unused, next = 0;
};
/// Reads and writes of a whole cell, of its first half, of its second half.
inline constexpr unsigned quick_classes = 6;
inline constexpr unsigned quick_states = 64;
/// \param part 0: all 8 bytes; 1, 2: the first, the second 4 bytes.
[[nodiscard]] constexpr unsigned quick_class(unsigned part, bool write) noexcept {
  return part * 2 + (write ? 1 : 0);
}

/// What the hooks may settle by themselves.
enum class quick_checks : std::uint8_t {
  states, ///< accesses whose transition is known: no grid runs, or the depth is `ops`
  grid,   ///< accesses of threads, by both planes of the shadow
  none,   ///< nothing in the memory that threads share: every access matters
};

/// Accesses that the hooks have settled, by their size and by a part of where they return to: one
/// counter for all would make every access wait for the one before.
struct settled_counts {
  static constexpr std::size_t sizes = 5, places = 8; ///< sizes: 1, 2, 4, 8 and 16 bytes
  std::uint64_t of[sizes][places] = {};
};

/// The arenas and their shadow where a hook of a kernel settles most accesses by itself; empty
/// elsewhere.
struct quick_arenas {
  std::uintptr_t begin = 0;
  std::uintptr_t words = 0, half_words = 0; ///< of 8 and of 4 bytes
  void* shadow = nullptr; ///< cells at depth `ops`, else records (thread_cells.hpp)
  bool records = false;
};

/// What one place of a kernel that loads or stores has met: the transitions of states that it made
/// last. Most places meet one state only. Lies in the compiled code's data, which looks at `met`
/// and counts by itself (tools/inline_checks.hpp): the layout is known there.
struct access_place {
  quick_entry met[2] = {{quick_entry::unused, quick_entry::unused},  // all 8 bytes; first half
                        {quick_entry::unused, quick_entry::unused}}; // second half
  std::uint64_t count = 0;           ///< accesses that `met` has settled
  access_place* next_used = nullptr; ///< in the list of its operation
  std::uint32_t both_sites = 0;      ///< its number, for both halves of a record
  std::uint32_t size_bytes = 0;      ///< of each access; 0: not in the list
};
static_assert(sizeof(access_place) == 40 && offsetof(access_place, count) == 16);

/// What compiled kernels look at in line: the arenas, while a kernel runs on the calling thread;
/// empty elsewhere. The layout is known there (tools/inline_checks.cpp).
struct inline_view {
  std::uintptr_t begin = 0;
  std::uintptr_t words = 0, half_words = 0; ///< of 8 and of 4 bytes; 0 at depth `threads`
  void* cells = nullptr;
  std::uintptr_t record_words = 0, record_half_words = 0; ///< the same; 0 at depth `ops`
  void* records = nullptr;
};

/// Who accesses: an operation while it runs, or the host code of one thread.
struct access_context {
  static constexpr unsigned memo_bits = 8;
  quick_arenas arenas;
  quick_checks checks = quick_checks::states; ///< changed by `choose_checks` alone
  bool host_code = true; ///< host code: outside operations, or in a host function
  bool operation = false;
  void* host_function = nullptr; ///< what the checker keeps of the host function that runs here
  bool block_scope = false;      ///< the atomic access that comes next is one of the block only
  int order = 0;         ///< memory order of the atomic access that is being checked; 0 is relaxed
  int failure_order = 0; ///< the same for a compare-and-swap that fails
  std::uint64_t expected = 0; ///< what the compare-and-swap that is being checked demands to find
  settled_counts settled;
  quick_entry quick[quick_classes][quick_states];
  std::uint64_t quick_used[quick_classes] = {}; ///< a bit for each entry in use
  memo_entry memo[1u << memo_bits];
  std::uint64_t epoch_bits =
      0;                      ///< upper bits of every valid key; changed to forget the memo at once
  std::uint64_t accesses = 0; ///< checked by this context, without the settled ones
  std::uint64_t bytes = 0;
};

/// \param return_address of the hook.
inline __attribute__((always_inline)) void
count_settled(access_context& context, unsigned size_bytes, void const* return_address) noexcept {
  unsigned const size = size_bytes == 16  ? 4
                        : size_bytes == 8 ? 3
                        : size_bytes == 4 ? 2
                        : size_bytes == 2 ? 1
                                          : 0;
  ++context.settled
        .of[size][reinterpret_cast<std::uintptr_t>(return_address) % settled_counts::places];
}

/// Changes the state of a cell by an aligned access of 4 or 8 bytes. False, with nothing changed,
/// where the transition is not known. \param offset of the first byte, modulo 8.
inline __attribute__((always_inline)) bool change_state(access_context& context,
                                                        std::uint32_t& cell, std::uintptr_t offset,
                                                        unsigned size_bytes, bool write) noexcept {
  std::uint32_t const state = cell;
  unsigned const part = size_bytes == 8 ? 0 : 1 + unsigned(offset / 4 % 2);
  quick_entry const& known = context.quick[quick_class(part, write)][state % quick_states];
  if (known.state != state) return false;
  if (known.next != state) cell = known.next;
  return true;
}

/// That of the operations, which run one at a time.
struct operation_context : access_context {
  access_place* used_places = nullptr; ///< those that may have met or counted something

  /// Before anything is put into a place.
  void use(access_place& place, unsigned size_bytes) noexcept {
    if (place.size_bytes != 0) [[likely]]
      return;
    place.size_bytes = size_bytes;
    place.next_used = used_places;
    std::atomic_signal_fence(std::memory_order_release); // a signal's handler reads the list
    used_places = &place;
  }
};

} // namespace mockgpu
