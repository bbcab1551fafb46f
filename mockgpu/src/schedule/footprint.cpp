#include "schedule/footprint.hpp"

#include <algorithm>

namespace mockgpu {
namespace {

void normalise(std::vector<touched_range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](touched_range const& a, touched_range const& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (touched_range const range : ranges) {
    if (kept != 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

bool meet(std::vector<touched_range> const& a, std::vector<touched_range> const& b) noexcept {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].begin < b[j].end && b[j].begin < a[i].end) return true;
    if (a[i].end <= b[j].begin)
      ++i;
    else
      ++j;
  }
  return false;
}

} // namespace

void footprint::add(std::vector<touched_range>& to, touched_range range) {
  // Loops touch neighbours one after the other.
  if (!to.empty() && to.back().begin <= range.begin && range.begin <= to.back().end) {
    to.back().end = std::max(to.back().end, range.end);
    return;
  }
  to.push_back(range);
  constexpr std::size_t many = 4096;
  if (to.size() % many == 0) normalise(to);
}

void footprint::close() {
  normalise(reads_);
  normalise(writes_);
}

bool footprint::conflicts(footprint const& other) const noexcept {
  return meet(writes_, other.writes_) || meet(writes_, other.reads_) || meet(reads_, other.writes_);
}

} // namespace mockgpu
