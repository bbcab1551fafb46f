#pragma once
/// \file Handles are numbers in a range of addresses that nothing is mapped to: kind and serial, so
/// that a stale one can still be named. They are never dereferenced.
#include <cstdint>

namespace mockgpu {

inline constexpr std::uintptr_t handle_kind_bits = std::uintptr_t{0xFFFF} << 32;
inline constexpr std::uintptr_t stream_handles = std::uintptr_t{0x05A1} << 32;
inline constexpr std::uintptr_t event_handles = std::uintptr_t{0x05A2} << 32;
inline constexpr std::uintptr_t pool_handles = std::uintptr_t{0x05A3} << 32;

[[nodiscard]] inline std::uintptr_t make_handle(std::uintptr_t kind,
                                                std::uint32_t serial) noexcept {
  return kind | std::uintptr_t(serial) << 4;
}
[[nodiscard]] inline std::uint32_t serial_of(std::uintptr_t handle) noexcept {
  return std::uint32_t(handle) >> 4;
}
[[nodiscard]] inline void* to_pointer(std::uintptr_t handle) noexcept {
  return reinterpret_cast<void*>(handle);
}
[[nodiscard]] inline std::uintptr_t to_number(void const* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

} // namespace mockgpu
