#include "memory/arena.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace mockgpu {
namespace {

constexpr std::size_t smallest_gap_bytes = std::size_t{1} << 20;
constexpr std::size_t page_bytes = 4096;

void reserve(std::uintptr_t base, std::size_t size_bytes) {
  void* const wanted = reinterpret_cast<void*>(base);
  void* const got = mmap(wanted, size_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return;
  std::fprintf(stderr, "mockgpu: cannot reserve %zu bytes of address space at %p\n", size_bytes, wanted);
  std::abort();
}

} // namespace

void reserve_arenas() {
  static bool const reserved = [] {
    reserve(arena_base, arena_bytes);
    reserve(shadow_base, arena_bytes / granule_bytes * sizeof(history_id));
    return true;
  }();
  (void)reserved;
}

std::uintptr_t arena_region::take(std::size_t size_bytes) noexcept {
  std::size_t const gap = std::max(size_bytes, smallest_gap_bytes);
  if (size_bytes > region_bytes / 4 || end_ - next_ < 2 * gap + size_bytes + page_bytes) return 0;
  std::uintptr_t address = (next_ + gap + 511) / 512 * 512 + 256;
  next_ = address + size_bytes;
  return address;
}

void give_back_pages(std::uintptr_t address, std::size_t size_bytes) noexcept {
  // Neighbours are at least a gap of 1 MiB away: whole pages belong to this block alone.
  auto const release = [](std::uintptr_t begin, std::uintptr_t end) {
    begin = begin / page_bytes * page_bytes;
    end = (end + page_bytes - 1) / page_bytes * page_bytes;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  release(address, address + size_bytes);
  // The shadow of a page is 2048 bytes: neighbours may share its last page, so it is cleared by hand.
  history_id* const first = shadow_of(address);
  history_id* const last = shadow_of(address + size_bytes + granule_bytes - 1);
  std::fill(first, last, history_id{0});
}

} // namespace mockgpu
