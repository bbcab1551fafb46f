#pragma once
/// \file What is known of one word (4 bytes) of memory that several threads of a grid use.
#include <cstdint>
#include <vector>

#include "order/thread_cells.hpp"
#include "order/thread_slots.hpp"

namespace mockgpu {

/// How a thread touched bytes. `block_atomic`: an atomic access that is one for its block only.
enum class thread_access : std::uint8_t { read, write, atomic, block_atomic };

[[nodiscard]] constexpr bool is_atomic(thread_access access) noexcept {
  return access == thread_access::atomic || access == thread_access::block_atomic;
}

/// An access that may race with later ones.
struct word_access_entry {
  thread_slot slot;
  access_site_index site;
  thread_access access;
  std::uint8_t mask;                ///< bytes of the word
  cell_kind many = cell_kind::none; ///< stands for several: read_block, atomic_grid, ...
};
using word_history = std::vector<word_access_entry>;

} // namespace mockgpu
