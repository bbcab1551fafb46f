#include "sequence_diff.hpp"

#include <algorithm>

namespace mockgpu::tools {
namespace {

using position = std::ptrdiff_t;

/// Where an edit script is after so many edits, on each diagonal: the furthest element of the first
/// sequence, and -1 on diagonals that it cannot be on.
class front {
public:
  explicit front(position edits) : edits_(edits), furthest_(std::size_t(2 * edits + 1), -1) {}
  [[nodiscard]] position at(position diagonal) const {
    return diagonal < -edits_ || diagonal > edits_ ? -1 : furthest_[std::size_t(diagonal + edits_)];
  }
  void set(position diagonal, position x) { furthest_[std::size_t(diagonal + edits_)] = x; }

private:
  position edits_;
  std::vector<position> furthest_;
};

/// Whether the last of so many edits, which leads to a diagonal, takes an element of the second
/// sequence rather than leaving out one of the first.
bool takes_of_second(front const& before, position diagonal, position edits) {
  return diagonal == -edits ||
         (diagonal != edits && before.at(diagonal - 1) < before.at(diagonal + 1));
}

/// From the fronts of all steps back to the beginning: the elements that one sequence has alone.
std::vector<difference> trace_back(std::vector<front> const& fronts, position n, position m) {
  std::vector<difference> found;
  position x = n, y = m;
  for (position edits = position(fronts.size()) - 1; edits > 0; --edits) {
    front const& before = fronts[std::size_t(edits) - 1];
    bool const inserted = takes_of_second(before, x - y, edits);
    position const from = inserted ? x - y + 1 : x - y - 1;
    position const from_x = before.at(from), from_y = from_x - from;
    std::size_t const first = std::size_t(from_x), second = std::size_t(from_y);
    difference const one = {first, first + (inserted ? 0 : 1), second, second + (inserted ? 1 : 0)};
    if (!found.empty() && found.back().first_begin == one.first_end &&
        found.back().second_begin == one.second_end) {
      found.back().first_begin = one.first_begin;
      found.back().second_begin = one.second_begin;
    } else {
      found.push_back(one);
    }
    x = from_x;
    y = from_y;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

} // namespace

std::optional<std::vector<difference>> find_differences(std::span<std::uint64_t const> first,
                                                        std::span<std::uint64_t const> second,
                                                        std::size_t most) {
  auto const n = position(first.size()), m = position(second.size());
  std::vector<front> fronts;
  for (position edits = 0; edits <= position(most); ++edits) {
    front now(edits);
    for (position diagonal = -edits; diagonal <= edits; diagonal += 2) {
      position x = 0;
      if (edits != 0) {
        front const& before = fronts.back();
        x = takes_of_second(before, diagonal, edits) ? before.at(diagonal + 1)
                                                     : before.at(diagonal - 1) + 1;
      }
      position y = x - diagonal;
      while (x < n && y < m && first[std::size_t(x)] == second[std::size_t(y)]) ++x, ++y;
      now.set(diagonal, x);
      if (x >= n && y >= m) {
        fronts.push_back(std::move(now));
        return trace_back(fronts, n, m);
      }
    }
    fronts.push_back(std::move(now));
  }
  return std::nullopt;
}

} // namespace mockgpu::tools
