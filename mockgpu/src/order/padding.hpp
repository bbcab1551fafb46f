#pragma once
/// \file Which undefined bytes of a read are a use of them. Compilers copy a structure in one wide
/// access with the padding between its members, which nobody writes.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mockgpu {

/// A read uses undefined content where a whole aligned unit of so many bytes is undefined. In a
/// structure padding is shorter than the alignment of some member, so that each unit of the
/// largest alignment holds a byte of a member; and that alignment divides size and address. An
/// element that was written in part has a unit that was not.
/// \param size_bytes of the access, not 0.
[[nodiscard]] inline unsigned definition_unit_bytes(std::uintptr_t address,
                                                    std::size_t size_bytes) noexcept {
  // The widest type of C++ and of both vendors is aligned to 16. Arrays of eight-byte elements are
  // longer than structures mostly are, and one element that was missed must be seen.
  std::size_t const widest = size_bytes <= 256 ? 16 : 8;
  auto const divisor = [](std::size_t value) { return value & (~value + 1); };
  // One member alone, of the whole size, leaves no padding.
  std::size_t const of_size = std::has_single_bit(size_bytes)
                                  ? std::max<std::size_t>(size_bytes / 2, 1)
                                  : divisor(size_bytes);
  std::size_t const of_address = address == 0 ? widest : divisor(address);
  return unsigned(std::min({widest, of_size, of_address}));
}

/// The bytes of `undefined` whose whole unit is in it. \param undefined bit i stands for byte i of
/// eight that begin at a multiple of 8. \param unit_bytes 1, 2, 4 or 8.
[[nodiscard]] inline unsigned whole_units(unsigned undefined, unsigned unit_bytes) noexcept {
  unsigned result = 0;
  unsigned const unit = (1u << unit_bytes) - 1;
  for (unsigned at = 0; at < 8; at += unit_bytes)
    if ((undefined >> at & unit) == unit) result |= unit << at;
  return result;
}

} // namespace mockgpu
