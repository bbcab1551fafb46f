#include "memory/variable_copies.hpp"

#include <cstring>
#include <iterator>
#include <utility>

#include "kernel/shared_layout.hpp"
#include "mockgpu/assert.h"

namespace mockgpu {
namespace {
std::byte* bytes_at(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }
} // namespace

void variable_copies::add(std::uintptr_t begin, std::size_t size_bytes,
                          std::vector<std::uintptr_t> copies) {
  variables_.insert_or_assign(begin, variable{size_bytes, std::move(copies)});
}

void variable_copies::remove(std::uintptr_t begin) { variables_.erase(begin); }

std::uintptr_t variable_copies::on_device(std::uintptr_t address, int device) const noexcept {
  auto const after = variables_.upper_bound(address);
  if (device == 0 || after == variables_.begin()) return address;
  auto const& [begin, one] = *std::prev(after);
  if (address - begin >= one.size_bytes) return address;
  return one.copies[std::size_t(device - 1)] + (address - begin);
}

/// An address in a variable's margins is beside its copy too.
std::uintptr_t variable_copies::translate(std::uintptr_t address) const noexcept {
  auto const copy_of = [&](auto const& entry) {
    return entry.second.copies[std::size_t(device_ - 1)] + (address - entry.first);
  };
  auto const after = variables_.upper_bound(address);
  if (after != variables_.begin()) {
    auto const& before = *std::prev(after);
    if (address - before.first < before.second.size_bytes + variable_margin_bytes)
      return copy_of(before);
  }
  if (after != variables_.end() && after->first - address <= variable_margin_bytes)
    return copy_of(*after);
  return address;
}

std::uintptr_t variable_copies::translate_back(std::uintptr_t address) const noexcept {
  for (auto const& [begin, one] : variables_) {
    std::uintptr_t const copy = one.copies[std::size_t(device_ - 1)];
    if (address - copy < one.size_bytes) return begin + (address - copy);
  }
  return address;
}

void variable_copies::enter(int device) {
  MOCKGPU_ASSERT((device_ == 0) && "one kernel runs at a time");
  if (device == 0 || variables_.empty()) return;
  device_ = device;
  for (auto const& [begin, one] : variables_) {
    std::byte const* const copy = bytes_at(one.copies[std::size_t(device - 1)]);
    of_device_0_.insert(of_device_0_.end(), bytes_at(begin), bytes_at(begin) + one.size_bytes);
    before_.insert(before_.end(), copy, copy + one.size_bytes);
    std::memcpy(bytes_at(begin), copy, one.size_bytes);
  }
}

/// What the kernel has not changed here it may have changed by the copy's own address.
void variable_copies::leave() {
  if (device_ == 0) return;
  std::size_t at = 0;
  for (auto const& [begin, one] : variables_) {
    std::byte* const copy = bytes_at(one.copies[std::size_t(device_ - 1)]);
    std::byte* const here = bytes_at(begin);
    for (std::size_t i = 0; i < one.size_bytes; ++i)
      if (here[i] != before_[at + i]) copy[i] = here[i];
    std::memcpy(here, of_device_0_.data() + at, one.size_bytes);
    at += one.size_bytes;
  }
  of_device_0_.clear();
  before_.clear();
  device_ = 0;
}

} // namespace mockgpu
