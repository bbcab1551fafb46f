#pragma once
/// \file All memory that was ever handed out. An allocation is its number, never its address.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "order/clock.hpp"

namespace mockgpu {

enum class memory_space : std::uint8_t { device, device_pool, pinned };

/// An annotated part of a slab.
struct sub_array {
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  std::string name;
};

struct allocation {
  std::uint64_t number = 0; ///< generation: unique in the process
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  memory_space space{};
  int device = 0;
  void* pool = nullptr;
  std::string name;         ///< by annotation, or empty
  std::string entry_point;  ///< call that made it
  std::uint64_t issue = 0;  ///< of that call
  bool baseline = false;    ///< not a leak
  /// Set when the free has been called; `freed_at` is where the free stands in the order.
  bool free_called = false, freed = false;
  std::string free_entry_point;
  std::uint64_t free_issue = 0;
  position freed_at;
  std::map<std::uintptr_t, sub_array> sub_arrays;

  [[nodiscard]] std::uintptr_t end() const noexcept { return begin + size_bytes; }
};

class allocation_table {
public:
  allocation& add(allocation);
  /// The allocation, live or freed, that holds the address.
  [[nodiscard]] allocation* holding(std::uintptr_t address) noexcept;
  /// The one that begins there and was not freed.
  [[nodiscard]] allocation* live_at(std::uintptr_t address) noexcept;
  /// The nearest one by distance in bytes, for reports of accesses outside all memory.
  [[nodiscard]] allocation* nearest(std::uintptr_t address) noexcept;
  [[nodiscard]] std::map<std::uintptr_t, allocation>& all() noexcept { return by_address_; }

private:
  std::map<std::uintptr_t, allocation> by_address_;
  std::uint64_t next_number_ = 1;
};

} // namespace mockgpu
