#pragma once
/// \file What most accesses of a thread of a running grid need, in line: a few compares of one
/// record of the shadow. False, with nothing changed, means that the whole way must be gone
/// (`check_access`).
#include <cstdint>

#include "mockgpu/abi.h"
#include "order/access_context.hpp"
#include "order/thread_cells.hpp"

namespace mockgpu {

/// Numbers of the places that access memory, by a part of their address.
struct site_memo {
  static constexpr std::size_t entries = 1024;
  struct entry {
    void const* return_address = nullptr;
    access_site_index site = 0;
  };
  entry known[entries];

  [[nodiscard]] entry& at(void const* return_address) noexcept {
    return known[reinterpret_cast<std::uintptr_t>(return_address) % entries];
  }
};
extern site_memo known_sites;

/// One aligned access of 4 or 8 bytes, which lie in one record.
struct word_access {
  std::uintptr_t offset; ///< of its first byte in the range of the record
  unsigned size_bytes;   ///< 4 or 8
  bool write;
  void const* return_address; ///< of the hook
};

/// The cells of the access get one content, and may get one site.
inline __attribute__((always_inline)) void
set_cells(shadow_record& record, word_access const& access, thread_cell cell) noexcept {
  if (access.size_bytes == 8) {
    std::uint64_t const both = std::uint64_t{cell} << 32 | cell; // one store
    __builtin_memcpy(record.cells, &both, sizeof both);
  } else {
    record.cells[access.offset / 4 % 2] = cell;
  }
}
inline __attribute__((always_inline)) void
set_sites(shadow_record& record, word_access const& access, access_site_index site) noexcept {
  if (access.size_bytes == 8) {
    std::uint32_t const both = std::uint32_t{site} << 16 | site;
    __builtin_memcpy(record.sites, &both, sizeof both);
  } else {
    record.sites[access.offset / 4 % 2] = site;
  }
}

/// Makes the access the last one of its cells, if its transition of the state is known, unless the
/// memory has none.
inline __attribute__((always_inline)) bool become_last_if_clean(access_context& context,
                                                                shadow_record& record,
                                                                word_access const& access,
                                                                bool has_state) noexcept {
  site_memo::entry const& site = known_sites.at(access.return_address);
  if (site.return_address != access.return_address) return false;
  if (has_state) {
    if (!change_state(context, record.state, access.offset, access.size_bytes, access.write))
      return false;
  } else {
    count_repeat(context, access.size_bytes);
  }
  set_cells(record, access,
            make_cell(mockgpu_indices.slot, access.write ? cell_kind::write : cell_kind::read));
  set_sites(record, access, site.site);
  return true;
}

/// A read of what is read already: other threads of the block, or other blocks, may be the first.
/// The operation has read these bytes before, so that their state says so.
inline __attribute__((always_inline)) bool join_readers(access_context& context,
                                                        shadow_record& record,
                                                        word_access const& access,
                                                        thread_cell cell) noexcept {
  cell_kind const kind = kind_of(cell);
  if (kind == cell_kind::read_grid) {
    if (grid_view.interleaved) return false;
  } else {
    if (grid_view.irregular) return false;
    if (cell >= grid_view.phase_begin) {
      if (kind == cell_kind::read) {
        set_cells(record, access, make_cell(slot_of(cell), cell_kind::read_block));
      } else if (kind != cell_kind::read_block) {
        return false;
      }
    } else {
      if (cell >= grid_view.block_begin ||
          (kind != cell_kind::read && kind != cell_kind::read_block))
        return false;
      set_cells(record, access, make_cell(slot_of(cell), cell_kind::read_grid));
    }
  }
  count_repeat(context, access.size_bytes);
  return true;
}

/// \param shared the block's own memory: it has no state, nothing of it is defined when the block
/// starts, and no other block sees it, so that what a barrier has closed is of no more use.
/// \param past_end cells below are ordered before the grid, or are of other blocks.
inline __attribute__((always_inline)) bool
access_record(access_context& context, shadow_record& record, word_access const& access,
              thread_cell past_end, bool shared) noexcept {
  thread_cell const self = make_cell(mockgpu_indices.slot, cell_kind::none);
  thread_cell const cell = record.cells[access.size_bytes == 8 ? 0 : access.offset / 4 % 2];
  if (access.size_bytes == 8) {
    thread_cell const second = record.cells[1];
    if (cell != second && (cell >= past_end || second >= past_end)) return false;
  }
  if (cell < past_end)
    return (!shared || access.write) &&
           become_last_if_clean(context, record, access, /*has_state=*/!shared);
  if (cell == (self | std::uint32_t(cell_kind::write))) {
    count_repeat(context, access.size_bytes);
    return true;
  }
  bool const own_read = cell == (self | std::uint32_t(cell_kind::read));
  if (own_read && !access.write) {
    count_repeat(context, access.size_bytes);
    return true;
  }
  bool const closed = cell - grid_view.block_begin < grid_view.phase_begin - grid_view.block_begin;
  if (own_read || (closed && kind_of(cell) != cell_kind::list &&
                   (shared || access.write || is_read(kind_of(cell)))))
    return become_last_if_clean(context, record, access, /*has_state=*/!shared);
  return !access.write && join_readers(context, record, access, cell);
}

/// Memory of a block, or a variable: all that lies outside of the arenas and may race.
inline __attribute__((always_inline)) bool
access_beside_arenas(access_context& context, std::uintptr_t address, unsigned size_bytes,
                     bool write, void const* return_address) noexcept {
  for (record_range const& shared : grid_view.shared)
    if (std::uintptr_t const offset = address - shared.begin; offset < shared.span) {
      if (context.checks == quick_checks::states) { // no other operation sees it
        count_repeat(context, size_bytes);
        return true;
      }
      return context.checks == quick_checks::grid &&
             access_record(context, shared.records[offset / 8],
                           {offset, size_bytes, write, return_address}, grid_view.shared_past_end,
                           /*shared=*/true);
    }
  record_range const& variable = grid_view.variable;
  if (std::uintptr_t const offset = address - variable.begin; offset < variable.span)
    return context.checks == quick_checks::grid &&
           access_record(context, variable.records[offset / 8],
                         {offset, size_bytes, write, return_address}, grid_view.past_end,
                         /*shared=*/false);
  return false;
}

} // namespace mockgpu
