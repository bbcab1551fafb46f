#pragma once
/// \file The address ranges that the mock hands out, and the shadow beside them. Reserved once, never replaced:
/// telling device memory from host memory is one range compare.
#include <cstddef>
#include <cstdint>

#include "order/history.hpp"

namespace mockgpu {

inline constexpr int max_devices = 8;
inline constexpr std::uintptr_t arena_base = 0x1000'0000'0000;
inline constexpr std::size_t region_bytes = std::size_t{1} << 40; ///< one per device, then pinned host memory
inline constexpr std::size_t arena_bytes = (max_devices + 1) * region_bytes;
inline constexpr std::uintptr_t shadow_base = 0x3000'0000'0000;

[[nodiscard]] constexpr bool in_arena(std::uintptr_t address) noexcept {
  return address - arena_base < arena_bytes;
}
/// 0 to max_devices - 1: a device; max_devices: pinned host memory.
[[nodiscard]] constexpr int region_of(std::uintptr_t address) noexcept {
  return static_cast<int>((address - arena_base) / region_bytes);
}
[[nodiscard]] constexpr bool in_pinned(std::uintptr_t address) noexcept {
  return in_arena(address) && region_of(address) == max_devices;
}
[[nodiscard]] constexpr bool in_device(std::uintptr_t address) noexcept {
  return in_arena(address) && region_of(address) != max_devices;
}
/// The history of the granule that holds the address (which must be in the arena).
[[nodiscard]] inline history_id* shadow_of(std::uintptr_t address) noexcept {
  return reinterpret_cast<history_id*>(shadow_base + (address - arena_base) / granule_bytes * sizeof(history_id));
}

/// Maps arena and shadow. Aborts with a message when the address space is not to be had.
void reserve_arenas();

/// Gives out addresses, in rising order and never twice.
class arena_region {
public:
  explicit arena_region(int region) : next_(arena_base + static_cast<std::size_t>(region) * region_bytes),
                                      end_(next_ + region_bytes) {}
  /// A block of `size_bytes` with gaps of at least its size (1 MiB at least) around it, aligned to 256 and
  /// deliberately not to 512 bytes. 0 when the region is used up.
  [[nodiscard]] std::uintptr_t take(std::size_t size_bytes) noexcept;

private:
  std::uintptr_t next_, end_;
};

/// Gives the pages of a block back; its content and shadow read as zero afterwards.
void give_back_pages(std::uintptr_t address, std::size_t size_bytes) noexcept;

} // namespace mockgpu
