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

} // namespace mockgpu
