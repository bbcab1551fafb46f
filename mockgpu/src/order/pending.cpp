#include "order/pending.hpp"

namespace mockgpu {

void add_bytes(violation& to, byte_range bytes) {
  if (!to.ranges.empty()) {
    byte_range& last = to.ranges.back();
    if (bytes.begin >= last.begin && bytes.begin <= last.end) {
      if (bytes.end > last.end) last.end = bytes.end;
      return;
    }
  }
  // A loop over scattered bytes must not gather more ranges than there are bytes.
  if (to.ranges.size() >= to.merge_at) {
    normalise(to.ranges);
    to.merge_at = to.ranges.size() * 2 + 65536;
  }
  to.ranges.push_back(bytes);
}

void remove_bytes(violation& from, byte_range bytes) {
  // The newest ranges are at the end, and most likely the ones.
  for (std::size_t i = from.ranges.size(); i-- > 0;) {
    byte_range const one = from.ranges[i];
    if (one.end <= bytes.begin || bytes.end <= one.begin) continue;
    from.ranges.erase(from.ranges.begin() + std::ptrdiff_t(i));
    if (bytes.end < one.end)
      from.ranges.insert(from.ranges.begin() + std::ptrdiff_t(i), {bytes.end, one.end});
    if (one.begin < bytes.begin)
      from.ranges.insert(from.ranges.begin() + std::ptrdiff_t(i), {one.begin, bytes.begin});
    if (one.begin <= bytes.begin && bytes.end <= one.end) return;
  }
}

} // namespace mockgpu
