#include "kernel/shared_layout.hpp"

#include <algorithm>

namespace mockgpu {
namespace {

// The shim aligns variables to it, so that no granule holds two of them.
constexpr std::size_t granule_bytes = 16;

std::uintptr_t begin_of(mockgpu_variable_record const& one) {
  return reinterpret_cast<std::uintptr_t>(one.address);
}

} // namespace

shared_layout::shared_layout(mockgpu_variable_record const* begin,
                             mockgpu_variable_record const* end) {
  for (auto const* one = begin; one != end; ++one)
    if (one->kind == mockgpu_shared_variable) variables_.push_back(one);
  if (variables_.empty()) return;
  std::sort(variables_.begin(), variables_.end(),
            [](auto const* a, auto const* b) { return begin_of(*a) < begin_of(*b); });
  begin_ = static_cast<std::byte*>(variables_.front()->address);
  std::uintptr_t const first = begin_of(*variables_.front());
  size_bytes_ = begin_of(*variables_.back()) + variables_.back()->size_bytes - first;
  granules_.resize((size_bytes_ + granule_bytes - 1) / granule_bytes);
  for (auto const* one : variables_) {
    std::size_t const at = (begin_of(*one) - first) / granule_bytes;
    std::size_t const count = (one->size_bytes + granule_bytes - 1) / granule_bytes;
    std::fill_n(granules_.begin() + std::ptrdiff_t(at), count, one);
  }
}

bool shared_layout::holds(std::uintptr_t address, std::size_t size_bytes) const noexcept {
  std::uintptr_t const offset = address - reinterpret_cast<std::uintptr_t>(begin_);
  if (offset >= size_bytes_) return false;
  auto const* const one = granules_[offset / granule_bytes];
  return one != nullptr && address + size_bytes <= begin_of(*one) + one->size_bytes;
}

mockgpu_variable_record const* shared_layout::near(std::uintptr_t address) const noexcept {
  auto const after =
      std::upper_bound(variables_.begin(), variables_.end(), address,
                       [](std::uintptr_t at, auto const* one) { return at < begin_of(*one); });
  // An index that runs off its array is commoner than one that is negative.
  if (after != variables_.begin()) {
    auto const* const before = *std::prev(after);
    if (address - begin_of(*before) < before->size_bytes + variable_margin_bytes) return before;
  }
  if (after != variables_.end() && begin_of(**after) - address <= variable_margin_bytes)
    return *after;
  return nullptr;
}

} // namespace mockgpu
