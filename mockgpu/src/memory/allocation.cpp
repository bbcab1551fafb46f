#include "memory/allocation.hpp"

#include <utility>

namespace mockgpu {

allocation& allocation_table::add(allocation a) {
  a.number = next_number_++;
  return by_address_.insert_or_assign(a.begin, std::move(a)).first->second;
}

allocation* allocation_table::holding(std::uintptr_t address) noexcept {
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  auto& candidate = std::prev(after)->second;
  return address < candidate.end() ? &candidate : nullptr;
}

allocation* allocation_table::live_at(std::uintptr_t address) noexcept {
  auto const found = by_address_.find(address);
  return found != by_address_.end() && !found->second.free_called ? &found->second : nullptr;
}

allocation* allocation_table::nearest(std::uintptr_t address) noexcept {
  auto const after = by_address_.upper_bound(address);
  allocation* const above = after != by_address_.end() ? &after->second : nullptr;
  allocation* const below = after != by_address_.begin() ? &std::prev(after)->second : nullptr;
  if (above == nullptr || below == nullptr) return above != nullptr ? above : below;
  std::uintptr_t const from_below = address >= below->end() ? address - below->end() : 0;
  return from_below <= above->begin - address ? below : above;
}

} // namespace mockgpu
