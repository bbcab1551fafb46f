#pragma once
/// \file The second plane of the shadow, for races between the threads of one kernel: one 32-bit
/// cell for each 4 bytes of memory, with the last access that matters, and 16 bits that say where
/// in the program it was made; and how both planes lie in memory.
#include <cstddef>
#include <cstdint>

namespace mockgpu {

/// What a cell says of its four bytes. `block`: by several threads of one block since its last
/// barrier; `grid`: by threads of several blocks. The slot is that of the first of them.
enum class cell_kind : std::uint32_t {
  none,
  read,
  read_block,
  read_grid,
  write, ///< and read by the same thread since, or before
  atomic,
  atomic_block,
  atomic_grid,
  scoped,       ///< atomic for its block only
  scoped_block, ///< those of one block; blocks of those race
  list,         ///< anything else: in a table of `thread_races`; the slot is the last one
};

/// A slot above a kind. Cells of one kind compare as their slots do; a cell of an earlier kernel is
/// less than any of this one.
using thread_cell = std::uint32_t;
inline constexpr unsigned cell_kind_bits = 4;

[[nodiscard]] constexpr thread_cell make_cell(std::uint32_t slot, cell_kind kind) noexcept {
  return slot << cell_kind_bits | std::uint32_t(kind);
}
[[nodiscard]] constexpr std::uint32_t slot_of(thread_cell cell) noexcept {
  return cell >> cell_kind_bits;
}
[[nodiscard]] constexpr cell_kind kind_of(thread_cell cell) noexcept {
  return cell_kind(cell & ((1u << cell_kind_bits) - 1));
}

[[nodiscard]] constexpr bool is_read(cell_kind kind) noexcept {
  return kind == cell_kind::read || kind == cell_kind::read_block || kind == cell_kind::read_grid;
}

/// A place in the program that accesses memory, by number; 0 is unknown.
using access_site_index = std::uint16_t;

/// The shadow of 8 bytes at depth `threads`: both planes beside each other, so that an access finds
/// all that is known of its bytes in one line of the cache. 2 bytes for each byte of memory.
struct alignas(16) shadow_record {
  thread_cell cells[2];       ///< of the first and the second 4 bytes
  std::uint32_t state;        ///< plane A (cell_state.hpp)
  access_site_index sites[2]; ///< of the access that each cell tells of
};
static_assert(sizeof(shadow_record) == 16);

/// Memory with records beside it.
struct record_range {
  std::uintptr_t begin = 0; ///< of the memory; a multiple of 8
  std::uintptr_t span = 0;  ///< bytes; a multiple of 8
  shadow_record* records = nullptr;
};

/// What hooks need of the running grid.
struct thread_view {
  bool active = false;             ///< a grid runs, at depth `threads`
  bool irregular = false;          ///< orders inside of a block are not told by bounds alone
  bool interleaved = false;        ///< nor are those between blocks
  thread_cell past_end = 0;        ///< cells below are ordered before all threads
  thread_cell block_begin = 0;     ///< cells below are of other blocks
  thread_cell phase_begin = 0;     ///< cells from here on are of this block, since its last barrier
  /// The same where bounds alone tell the orders inside of a block; else above all cells.
  thread_cell joinable_begin = ~thread_cell{0};
  /// No fence, no suspended block and no guess (guessed_reads.hpp) so far in this grid.
  bool atomics_alone = false;
  record_range global;             ///< the mock's device and pinned memory
  record_range variable;           ///< the variable of the program that was accessed last
  record_range shared[4];          ///< shared memory that the block has used, variable by variable
  thread_cell shared_past_end = 0; ///< its cells below are of other blocks
};
extern thread_view grid_view;

} // namespace mockgpu
