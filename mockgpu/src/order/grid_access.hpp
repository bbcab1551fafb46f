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
  access_place* place;        ///< in the list of its operation; null where the code has none
};
/// Of an access that nothing else has counted.
inline __attribute__((always_inline)) void count(access_context& context,
                                                 word_access const& access) noexcept {
  if (access.place != nullptr)
    ++access.place->count;
  else
    count_settled(context, access.size_bytes, access.return_address);
}

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
inline __attribute__((always_inline)) bool become_last_if_clean(operation_context& context,
                                                                shadow_record& record,
                                                                word_access const& access,
                                                                bool has_state) noexcept {
  site_memo::entry const& site = known_sites.at(access.return_address);
  if (site.return_address != access.return_address) return false;
  if (has_state) {
    unsigned const part = access.size_bytes == 8 ? 0 : 1 + unsigned(access.offset / 4 % 2);
    quick_entry const known =
        context.quick[quick_class(part, access.write)][record.state % quick_states];
    if (known.state != record.state) return false;
    record.state = known.next;
    if (access.place != nullptr) {
      access.place->met[part == 2 ? 1 : 0] = known;
      access.place->both_sites = std::uint32_t{site.site} << 16 | site.site;
    }
  }
  count(context, access);
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
  count(context, access);
  return true;
}

/// What most accesses of a grid are, in as few instructions as they take: the first of its grid by
/// a place that has met the state before, one more of its thread, or one of several reads. False,
/// with nothing changed, where the access may still be one of those that `access_record` knows.
/// Counts nothing.
/// \param half of the record; 0 for all of it.
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) bool
access_record_directly(shadow_record& record, std::size_t half, access_place& place) noexcept {
  static_assert(SizeBytes == 4 || SizeBytes == 8);
  word_access const access{half * 4, SizeBytes, Write, nullptr, &place};
  quick_entry const& met = place.met[half];
  thread_cell cell = record.cells[half];
  if constexpr (SizeBytes == 8) {
    std::uint64_t both = 0;
    __builtin_memcpy(&both, record.cells, sizeof both);
    cell = thread_cell(both);
    if (both >> 32 != cell) [[unlikely]]
      return false;
  }
  auto const own = [](cell_kind kind) { return make_cell(mockgpu_indices.slot, kind); };
  auto const become_last = [&] {
    if (met.state != record.state) [[unlikely]]
      return false;
    record.state = met.next;
    if constexpr (SizeBytes == 8)
      __builtin_memcpy(record.sites, &place.both_sites, sizeof record.sites);
    else
      record.sites[half] = access_site_index(place.both_sites);
    set_cells(record, access, own(Write ? cell_kind::write : cell_kind::read));
    return true;
  };
  if constexpr (Write) {
    if (cell < grid_view.past_end || cell == own(cell_kind::read)) return become_last();
    if (cell != own(cell_kind::write)) return false;
  } else {
    cell_kind const kind = kind_of(cell);
    if (cell >= grid_view.joinable_begin) {
      if (kind != cell_kind::read_block && cell != own(cell_kind::read) &&
          cell != own(cell_kind::write)) {
        if (kind != cell_kind::read) return false;
        set_cells(record, access, make_cell(slot_of(cell), cell_kind::read_block));
      }
    } else {
      if (cell < grid_view.past_end) return become_last();
      if (kind != cell_kind::read_grid || grid_view.interleaved) return false;
    }
  }
  return true;
}

/// An atomic of the device on words that only such atomics have touched in this grid, where nothing
/// is published by them. \param past_end cells below are of no more use.
inline __attribute__((always_inline)) bool atomic_changes_nothing(shadow_record const& record,
                                                                  std::uintptr_t offset,
                                                                  unsigned size_bytes,
                                                                  thread_cell past_end) noexcept {
  if (!grid_view.atomics_alone) return false;
  auto const known = [&](thread_cell cell) {
    return (kind_of(cell) == cell_kind::atomic_grid && cell >= past_end) ||
           ((kind_of(cell) == cell_kind::atomic_block ||
             cell == make_cell(mockgpu_indices.slot, cell_kind::atomic)) &&
            cell >= grid_view.joinable_begin);
  };
  if (size_bytes == 8) return offset % 8 == 0 && known(record.cells[0]) && known(record.cells[1]);
  return size_bytes == 4 && offset % 4 == 0 && known(record.cells[offset / 4 % 2]);
}

/// \param shared the block's own memory: it has no state, nothing of it is defined when the block
/// starts, and no other block sees it, so that what a barrier has closed is of no more use.
/// \param past_end cells below are ordered before the grid, or are of other blocks.
inline __attribute__((always_inline)) bool
access_record(operation_context& context, shadow_record& record, word_access const& access,
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
    count(context, access);
    return true;
  }
  bool const own_read = cell == (self | std::uint32_t(cell_kind::read));
  if (own_read && !access.write) {
    count(context, access);
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
access_beside_arenas(operation_context& context, std::uintptr_t address, unsigned size_bytes,
                     bool write, void const* return_address, access_place* place) noexcept {
  for (record_range const& shared : grid_view.shared)
    if (std::uintptr_t const offset = address - shared.begin; offset < shared.span) {
      if (context.checks == quick_checks::states) { // no other operation sees it
        count(context, {offset, size_bytes, write, return_address, place});
        return true;
      }
      return context.checks == quick_checks::grid &&
             access_record(context, shared.records[offset / 8],
                           {offset, size_bytes, write, return_address, place},
                           grid_view.shared_past_end,
                           /*shared=*/true);
    }
  record_range const& variable = grid_view.variable;
  if (std::uintptr_t const offset = address - variable.begin; offset < variable.span)
    return context.checks == quick_checks::grid &&
           access_record(context, variable.records[offset / 8],
                         {offset, size_bytes, write, return_address, place}, grid_view.past_end,
                         /*shared=*/false);
  return false;
}

/// An atomic in the memory of a block.
inline __attribute__((always_inline)) bool
atomic_beside_arenas(access_context& context, std::uintptr_t address, unsigned size_bytes,
                     void const* return_address) noexcept {
  for (record_range const& shared : grid_view.shared)
    if (std::uintptr_t const offset = address - shared.begin; offset < shared.span) {
      if (context.checks != quick_checks::states &&
          (context.checks != quick_checks::grid || context.block_scope ||
           context.order != __ATOMIC_RELAXED ||
           !atomic_changes_nothing(shared.records[offset / 8], offset, size_bytes,
                                   grid_view.shared_past_end)))
        return false;
      count_settled(context, size_bytes, return_address);
      return true;
    }
  return false;
}

} // namespace mockgpu
