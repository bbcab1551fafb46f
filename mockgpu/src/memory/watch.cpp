#include "memory/watch.hpp"

#include <algorithm>
#include <iterator>

namespace mockgpu {

void undefined_ranges::add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t issue) {
  remove(begin, end);
  ranges_[begin] = {end, issue};
}

void undefined_ranges::remove(std::uintptr_t begin, std::uintptr_t end) {
  auto it = ranges_.upper_bound(begin);
  if (it != ranges_.begin()) --it;
  while (it != ranges_.end() && it->first < end) {
    auto const [from, what] = *it;
    if (what.end <= begin) {
      ++it;
      continue;
    }
    it = ranges_.erase(it);
    if (from < begin) ranges_[from] = {begin, what.issue};
    if (what.end > end) it = ranges_.emplace(end, source{what.end, what.issue}).first;
  }
}

std::map<std::uintptr_t, undefined_ranges::source>::value_type const*
undefined_ranges::find(std::uintptr_t begin, std::uintptr_t end) const {
  auto it = ranges_.upper_bound(begin);
  if (it != ranges_.begin() && std::prev(it)->second.end > begin) --it;
  return it != ranges_.end() && it->first < end ? &*it : nullptr;
}

} // namespace mockgpu
