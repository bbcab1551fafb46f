#pragma once
/// \file The second plane of the shadow, for races between the threads of one kernel: one 32-bit
/// cell for each 4 bytes of memory, with the last access that matters, and 16 bits that say where
/// in the program it was made.
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
  list, ///< anything else: in a table of `thread_races`; the slot is the last one
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

/// A place in the program that accesses memory, by number; 0 is unknown.
using access_site_index = std::uint16_t;

/// Memory with cells beside it.
struct cell_range {
  std::uintptr_t begin = 0, span = 0; ///< of the memory; begin is a multiple of 4
  thread_cell* cells = nullptr;
  access_site_index* sites = nullptr;
};

/// What hooks need of the running grid.
struct thread_view {
  bool active = false;         ///< a grid runs, at depth `threads`
  thread_cell past_end = 0;    ///< cells below are ordered before all threads
  thread_cell block_begin = 0; ///< cells below are of other blocks
  thread_cell phase_begin = 0; ///< cells from here on are of this block, since its last barrier
  cell_range global;           ///< the mock's device and pinned memory
};
extern thread_view grid_view;

} // namespace mockgpu
