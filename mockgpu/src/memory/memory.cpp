#include "memory/memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "kernel/shared_layout.hpp"
#include "memory/under_thread_sanitizer.hpp"
#include "mockgpu/assert.h"
#include "order/access.hpp"
#include "order/thread_cells.hpp"

namespace mockgpu {
namespace {

#if MOCKGPU_UNDER_THREAD_SANITIZER
// Of its fixed layout, 1.5 TiB are for mappings. Here devices have half of their memory and less.
constexpr std::size_t arena_bytes = std::size_t{32} << 30;
#else
constexpr std::size_t arena_bytes = std::size_t{2} << 40;
#endif
constexpr std::size_t least_gap_bytes = std::size_t{1} << 20;
constexpr std::size_t page_bytes = 4096;
// Addresses are given out anew after so many bytes of address space, gaps included, unless most of
// it is live: page tables, unlike pages, are not given back, and a long program allocates for ever.
constexpr std::size_t first_window_bytes = std::min(arena_bytes, std::size_t{64} << 30);
// Past this, only the ends of a block are poisoned: filling it would make all of its pages
// resident.
constexpr std::size_t whole_poison_bytes = std::size_t{256} << 20;

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t least_large_bytes = std::size_t{4} << 20;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void* reserve(std::size_t size_bytes) {
  void* const range = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  madvise(range, size_bytes, MADV_DONTDUMP);
  // Small blocks lie far apart, and a large page holds one of them.
  madvise(range, size_bytes, MADV_NOHUGEPAGE);
  return range;
}

/// Gives all pages of a range back, which zeroes it. Nothing else lies on them: the gaps around a
/// block, and around its shadow, are larger than a page.
void drop(std::uintptr_t begin, std::size_t size_bytes) {
  std::uintptr_t const first_page = begin / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(first_page),
          round_up(begin + size_bytes, page_bytes) - first_page, MADV_DONTNEED);
}

/// Whether the whole large pages in a range are to be such. A scattered access past the cache costs
/// more in page tables than in memory otherwise. What is given back is told apart no longer: each
/// range of pages with advice of its own is a mapping, of which a process has few.
void use_large_pages(std::uintptr_t begin, std::size_t size_bytes, bool large) {
  std::uintptr_t const first = round_up(begin, large_page_bytes);
  std::uintptr_t const end = (begin + size_bytes) / large_page_bytes * large_page_bytes;
  if (first < end)
    madvise(reinterpret_cast<void*>(first), end - first, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}
bool has_large_pages(allocation const& block) {
  return block.size_bytes >= least_large_bytes && block.size_bytes <= whole_poison_bytes;
}

/// Address space that a run before has left, all of it zero but for the content of blocks
/// and for what was written beside them. Tests
/// run thousands of short programs in one process, and half of their time was the kernel's: for the
/// mappings, and for pages that it fills anew each time.
struct left_reservation {
  std::size_t size_bytes = 0, shadow_bytes = 0;
  void* arenas = nullptr;
  void* shadow = nullptr;

  void release() noexcept {
    if (arenas == nullptr) return;
    munmap(arenas, size_bytes);
    munmap(shadow, shadow_bytes);
    *this = {};
  }
};
left_reservation left;

// More would be kept for a program that may not come.
constexpr std::size_t most_left_blocks = 256;
constexpr std::size_t most_left_block_bytes = std::size_t{64} << 10;

} // namespace

memory::memory(int device_count, bool tell_threads_apart) : arenas_(std::size_t(device_count) + 1) {
  reserved_bytes_ = arenas_.size() * arena_bytes;
  std::size_t const shadow_bytes = tell_threads_apart ? reserved_bytes_ * 2 : reserved_bytes_ / 2;
  if (left.size_bytes != reserved_bytes_ || left.shadow_bytes != shadow_bytes) {
    left.release();
    void* const all = reserve(reserved_bytes_);
    try {
      left = {reserved_bytes_, shadow_bytes, all, reserve(shadow_bytes)};
    } catch (std::bad_alloc const&) {
      munmap(all, reserved_bytes_);
      throw;
    }
  }
  left_reservation const mine = std::exchange(left, {});
  auto const begin = reinterpret_cast<std::uintptr_t>(mine.arenas);
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
    auto* const records = static_cast<shadow_record*>(mine.shadow);
    shadow.cells = &records->state;
    shadow.stride = sizeof(shadow_record) / sizeof(std::uint32_t);
    grid_view.global = {begin, reserved_bytes_, records};
  } else {
    shadow.cells = static_cast<std::uint32_t*>(mine.shadow);
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
  bool const records = grid_view.global.records != nullptr;
  left.release();
  left = {reserved_bytes_, records ? reserved_bytes_ * 2 : reserved_bytes_ / 2,
          reinterpret_cast<void*>(shadow.begin),
          records ? static_cast<void*>(grid_view.global.records)
                  : static_cast<void*>(shadow.cells)};
  if (blocks_.size() > most_left_blocks)
    left.release();
  else
    for (allocation const& block : blocks_)
      if (block.own_cells == nullptr && !block.retired) empty(block);
  grid_view.global = {};
  shadow.begin = shadow.span = shadow.variables_begin = shadow.variables_span = 0;
  shadow.cells = nullptr;
  shadow.stride = 1;
}

/// What is left of a block that no program has any more.
void memory::empty(allocation const& block) noexcept {
  if (block.size_bytes > most_left_block_bytes) {
    give_back(block);
    return;
  }
  std::uintptr_t const first_page = block.begin / page_bytes * page_bytes;
  std::memset(reinterpret_cast<void*>(first_page), 0,
              round_up(block.begin + block.size_bytes, page_bytes) - first_page);
  if (block.touched_begin < block.touched_end) {
    // Of a record, what lies in front of the state is cleared too.
    auto const first = reinterpret_cast<std::uintptr_t>(&cell(block, block.touched_begin));
    std::size_t const entry_bytes = shadow.stride * sizeof(std::uint32_t);
    std::memset(reinterpret_cast<void*>(first / entry_bytes * entry_bytes), 0,
                (block.touched_end - block.touched_begin) * entry_bytes);
  }
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

  if (has_large_pages(block)) {
    use_large_pages(begin, size_bytes, true);
    use_large_pages(reinterpret_cast<std::uintptr_t>(first_cell(block)), shadow_bytes(block), true);
  }
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

void memory::copy_to_other_devices(allocation const& variable) {
  int const device_count = int(arenas_.size()) - 1;
  std::vector<std::uintptr_t> copies;
  for (int device = 1; device < device_count; ++device) {
    allocation* const copy = allocate(memory_space::device, device, variable.size_bytes);
    if (copy == nullptr) throw std::bad_alloc();
    copy->name = variable.name;
    copy->baseline = copy->variable = true;
    copy->constant = variable.constant;
    std::memcpy(reinterpret_cast<void*>(copy->begin), reinterpret_cast<void*>(variable.begin),
                variable.size_bytes);
    copies.push_back(copy->begin);
  }
  if (!copies.empty()) variables.add(variable.begin, variable.size_bytes, std::move(copies));
}

void memory::remove_variable(std::uintptr_t begin) {
  variables.remove(begin);
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
  give_back(block);
}

/// The pages of a block and of its shadow, which are zero from then on.
void memory::give_back(allocation const& block) noexcept {
  // Records are dropped from their beginning, which is not where the state is; the rest of a page
  // goes with it either way.
  drop(reinterpret_cast<std::uintptr_t>(first_cell(block)), shadow_bytes(block));
  drop(block.begin, block.size_bytes);
  if (!has_large_pages(block)) return;
  use_large_pages(block.begin, block.size_bytes, false);
  use_large_pages(reinterpret_cast<std::uintptr_t>(first_cell(block)), shadow_bytes(block), false);
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

std::size_t memory::shadow_bytes(allocation const& block) noexcept {
  return cell_count(block) * shadow.stride * sizeof(std::uint32_t);
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
