#pragma once
/// \file What a hook knows of whoever accesses memory: transitions of the shadow's states that have
/// been judged, so that the next access like them is a look-up.
#include <cstddef>
#include <cstdint>

namespace mockgpu {

/// One remembered transition: this state, accessed so, becomes `next`, and nothing is to be said.
struct memo_entry {
  std::uint64_t key = 0;
  std::uint32_t next = 0;
};

/// The same for plain accesses of 8 or 4 aligned bytes, found by the state alone. Counts its uses:
/// one counter for all would make every access wait for the one before.
struct quick_entry {
  static constexpr std::uint32_t unused = ~std::uint32_t{0};
  std::uint32_t state = unused, next = 0;
  std::uint64_t hits = 0;
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

/// Who accesses: an operation while it runs, or the host code of one thread.
struct access_context {
  static constexpr unsigned memo_bits = 8;
  quick_checks checks = quick_checks::states;
  bool host_code = true; ///< host code: outside operations, or in a host function
  bool operation = false;
  void* host_function = nullptr; ///< what the checker keeps of the host function that runs here
  bool block_scope = false; ///< the atomic access that comes next is one of the block only
  std::uint64_t expected = 0; ///< what the compare-and-swap that is being checked demands to find
  std::uint64_t repeats[2] = {}; ///< of 8 and of 4 bytes, settled without a look at the state
  quick_entry quick[quick_classes][quick_states];
  std::uint64_t quick_used[quick_classes] = {}; ///< a bit for each entry in use
  memo_entry memo[1u << memo_bits];
  std::uint64_t epoch_bits =
      0;                      ///< upper bits of every valid key; changed to forget the memo at once
  std::uint64_t accesses = 0; ///< checked by this context, without those that entries count
  std::uint64_t bytes = 0;
};

inline __attribute__((always_inline)) void count_repeat(access_context& context,
                                                        unsigned size_bytes) noexcept {
  ++context.repeats[size_bytes == 8 ? 0 : 1];
}

/// Changes the state of a cell by an aligned access of 4 or 8 bytes. False, with nothing changed,
/// where the transition is not known. \param offset of the first byte, modulo 8.
inline __attribute__((always_inline)) bool change_state(access_context& context,
                                                        std::uint32_t& cell, std::uintptr_t offset,
                                                        unsigned size_bytes, bool write) noexcept {
  std::uint32_t const state = cell;
  unsigned const part = size_bytes == 8 ? 0 : 1 + unsigned(offset / 4 % 2);
  quick_entry& known = context.quick[quick_class(part, write)][state % quick_states];
  if (known.state != state) return false;
  if (known.next != state) cell = known.next;
  ++known.hits;
  return true;
}

} // namespace mockgpu
