#include "memory/memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "kernel/shared_layout.hpp"
#include "mockgpu/assert.h"
#include "order/access.hpp"
#include "order/thread_cells.hpp"

namespace mockgpu {
namespace {

constexpr std::size_t arena_bytes = std::size_t{2} << 40;
constexpr std::size_t least_gap_bytes = std::size_t{1} << 20;
constexpr std::size_t page_bytes = 4096;
// Addresses are given out anew after so many bytes of address space, gaps included, unless most of
// it is live: page tables, unlike pages, are not given back, and a long program allocates for ever.
constexpr std::size_t first_window_bytes = std::size_t{64} << 30;
// Past this, only the ends of a block are poisoned: filling it would make all of its pages
// resident.
constexpr std::size_t whole_poison_bytes = std::size_t{256} << 20;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void* reserve(std::size_t size_bytes) {
  void* const range = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  madvise(range, size_bytes, MADV_DONTDUMP);
  return range;
}

/// Gives all pages of a range back, which zeroes it. Nothing else lies on them: the gaps around a
/// block, and around its shadow, are larger than a page.
void drop(std::uintptr_t begin, std::size_t size_bytes) {
  std::uintptr_t const first_page = begin / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(first_page),
          round_up(begin + size_bytes, page_bytes) - first_page, MADV_DONTNEED);
}

} // namespace

memory::memory(int device_count, bool tell_threads_apart) : arenas_(std::size_t(device_count) + 1) {
  reserved_bytes_ = arenas_.size() * arena_bytes;
  auto const begin = reinterpret_cast<std::uintptr_t>(reserve(reserved_bytes_));
  for (std::size_t i = 0; i < arenas_.size(); ++i) {
    arenas_[i].next = begin + i * arena_bytes;
    arenas_[i].begin = arenas_[i].next;
    arenas_[i].window_end = arenas_[i].next + first_window_bytes;
    arenas_[i].end = arenas_[i].next + arena_bytes;
    arenas_[i].last_gap = least_gap_bytes;
  }
  shadow.begin = begin;
  shadow.span = reserved_bytes_;
  if (tell_threads_apart) {
    auto* const records = static_cast<shadow_record*>(reserve(reserved_bytes_ * 2));
    shadow.cells = &records->state;
    shadow.stride = sizeof(shadow_record) / sizeof(std::uint32_t);
    grid_view.global = {begin, reserved_bytes_, records};
  } else {
    shadow.cells = static_cast<std::uint32_t*>(reserve(reserved_bytes_ / 2));
    shadow.stride = 1;
  }
}

void memory::clear_thread_cells() noexcept {
  for (allocation const& block : blocks_) {
    if (block.retired) continue;
    record_range const all = records(block);
    for (std::size_t i = block.touched_begin; i < block.touched_end; ++i)
      all.records[i].cells[0] = all.records[i].cells[1] = 0;
  }
}

record_range memory::records(allocation const& block) noexcept {
  shadow_record* const first = block.own_records != nullptr
                                   ? block.own_records
                                   : grid_view.global.records + ((block.begin - shadow.begin) >> 3);
  return {block.begin, block.size_bytes / 8 * 8, first};
}

memory::~memory() {
  if (grid_view.global.records != nullptr)
    munmap(grid_view.global.records, reserved_bytes_ * 2);
  else
    munmap(shadow.cells, reserved_bytes_ / 2);
  grid_view.global = {};
  munmap(reinterpret_cast<void*>(shadow.begin), reserved_bytes_);
  shadow.begin = shadow.span = shadow.variables_begin = shadow.variables_span = 0;
  shadow.cells = nullptr;
  shadow.stride = 1;
}

allocation* memory::allocate(memory_space space, int device, std::size_t size_bytes) {
  MOCKGPU_ASSERT((size_bytes > 0) && "empty requests are settled by the caller");
  arena& from = arenas_[space == memory_space::pinned ? arenas_.size() - 1 : std::size_t(device)];
  std::size_t const gap = gap_bytes(size_bytes);
  if (size_bytes > capacity_bytes || from.used_bytes + size_bytes > capacity_bytes) return nullptr;
  std::uintptr_t const begin = find_place(from, size_bytes, gap);
  if (begin == 0) return nullptr;
  from.next = begin + size_bytes;
  from.last_gap = gap;
  from.used_bytes += size_bytes;

  allocation& block = blocks_.emplace_back();
  block.index = std::uint32_t(blocks_.size());
  block.begin = begin;
  block.size_bytes = size_bytes;
  block.space = space;
  block.device = device;
  by_begin_.emplace(begin, &block);

  auto* const bytes = reinterpret_cast<unsigned char*>(begin);
  if (size_bytes <= whole_poison_bytes) {
    std::memset(bytes, poison_byte, size_bytes);
  } else {
    std::memset(bytes, poison_byte, least_gap_bytes);
    std::memset(bytes + size_bytes - least_gap_bytes, poison_byte, least_gap_bytes);
  }
  return &block;
}

std::size_t memory::gap_bytes(std::size_t size_bytes) noexcept {
  return std::max(size_bytes, least_gap_bytes);
}

allocation& memory::add_variable(std::uintptr_t begin, std::size_t size_bytes, int device,
                                 std::string name) {
  MOCKGPU_ASSERT((begin % 8 == 0) && "the shim aligns variables");
  if (allocation* const known = find(begin); known != nullptr) return *known;
  allocation& block = blocks_.emplace_back();
  block.index = std::uint32_t(blocks_.size());
  block.begin = begin;
  block.size_bytes = size_bytes;
  block.device = device;
  block.name = std::move(name);
  block.baseline = block.variable = true;
  if (grid_view.global.records != nullptr) {
    block.own_records = variable_records_.emplace_back(cell_count(block)).data();
    block.own_cells = &block.own_records->state;
  } else {
    block.own_cells = variable_cells_.emplace_back(cell_count(block)).data();
  }
  by_begin_[begin] = &block;
  std::uintptr_t const first = begin - variable_margin_bytes;
  std::uintptr_t const hull_end = std::max(shadow.variables_begin + shadow.variables_span,
                                           begin + size_bytes + variable_margin_bytes);
  shadow.variables_begin =
      shadow.variables_span == 0 ? first : std::min(shadow.variables_begin, first);
  shadow.variables_span = hull_end - shadow.variables_begin;
  return block;
}

void memory::remove_variable(std::uintptr_t begin) {
  by_begin_.erase(begin);
  last_found_ = nullptr;
}

/// The next place in the arena where a block and its gaps meet no live block; 0 where there is
/// none. Dead blocks in the way are forgotten, the oldest first.
std::uintptr_t memory::find_place(arena& from, std::size_t size_bytes, std::size_t gap) {
  bool wrapped = false;
  for (;;) {
    std::uintptr_t const begin = round_up(from.next + std::max(gap, from.last_gap), 512) + 256;
    std::uintptr_t const end = begin + size_bytes + gap;
    if (end > from.window_end) {
      if (wrapped) {
        // Once around and no place: the window is too small.
        if (from.window_end == from.end) return 0;
        from.next = from.window_end;
        from.window_end = std::min(from.end, from.begin + (from.window_end - from.begin) * 2);
        from.last_gap = least_gap_bytes;
        continue;
      }
      wrapped = true;
      from.next = from.begin;
      from.last_gap = least_gap_bytes;
      continue;
    }
    allocation const* const live = clear_way(begin - gap, end);
    if (live == nullptr) return begin;
    from.next = live->begin + live->size_bytes;
    from.last_gap = gap_bytes(live->size_bytes);
  }
}

/// Forgets the dead blocks that meet [begin, end). \returns the last live one that does, or null.
allocation const* memory::clear_way(std::uintptr_t begin, std::uintptr_t end) {
  auto it = by_begin_.lower_bound(begin);
  if (it != by_begin_.begin()) --it; // may reach into the range
  allocation const* live = nullptr;
  while (it != by_begin_.end() && it->first < end) {
    allocation& block = *it->second;
    if (block.begin + block.size_bytes <= begin) {
      ++it;
    } else if (!block.retired) {
      live = &block;
      ++it;
    } else {
      if (last_found_ == &block) last_found_ = nullptr;
      block.sites = {};
      block.layouts = {};
      it = by_begin_.erase(it);
    }
  }
  return live;
}

void memory::retire(allocation& block) {
  MOCKGPU_ASSERT((!block.retired) && "a block is retired once");
  block.retired = true;
  arena& from =
      arenas_[block.space == memory_space::pinned ? arenas_.size() - 1 : std::size_t(block.device)];
  from.used_bytes -= block.size_bytes;
  // Records are dropped from their beginning, which is not where the state is; the rest of a page
  // goes with it either way.
  drop(reinterpret_cast<std::uintptr_t>(first_cell(block)),
       cell_count(block) * shadow.stride * sizeof(std::uint32_t));
  drop(block.begin, block.size_bytes);
}

std::uint32_t* memory::cell_at(std::uintptr_t address) noexcept {
  if (address - shadow.begin < shadow.span) return &shadow_cell(address - shadow.begin);
  if (address - shadow.variables_begin >= shadow.variables_span) return nullptr;
  allocation const* const block = find(address);
  return block == nullptr ? nullptr : &cell(*block, (address - block->begin) >> 3);
}

bool memory::is_ours(std::uintptr_t address) noexcept {
  return address - shadow.begin < shadow.span ||
         (address - shadow.variables_begin < shadow.variables_span && find(address) != nullptr);
}

std::uint32_t* memory::first_cell(allocation const& block) noexcept {
  return block.own_cells != nullptr ? block.own_cells : &shadow_cell(block.begin - shadow.begin);
}

allocation* memory::look_up(std::uintptr_t address) noexcept {
  auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin()) return nullptr;
  allocation* const candidate = std::prev(after)->second;
  if (!candidate->contains(address)) return nullptr;
  return last_found_ = candidate;
}

allocation* memory::nearest(std::uintptr_t address) noexcept {
  auto const after = by_begin_.upper_bound(address);
  allocation* const right = after == by_begin_.end() ? nullptr : after->second;
  allocation* const left = after == by_begin_.begin() ? nullptr : std::prev(after)->second;
  if (left == nullptr || right == nullptr) return left == nullptr ? right : left;
  // Live blocks first: an index that runs off its array is commoner than one that strays from a
  // dead block.
  if (left->retired != right->retired) return left->retired ? right : left;
  return address - (left->begin + left->size_bytes) <= right->begin - address ? left : right;
}

} // namespace mockgpu
