#include "schedule/run_trace.hpp"

namespace mockgpu {

bool ordered(transition const& a, transition const& b) noexcept {
  if (a.chain == host_chain) return a.host_step <= b.host_step;
  return a.chain < b.after.size() && a.issue <= b.after[a.chain];
}

std::vector<sleeper> still_asleep(std::vector<sleeper> const& before, transition const& step) {
  std::vector<sleeper> after;
  for (sleeper const& one : before)
    if (one.chain != step.chain && !one.touched.conflicts(step.touched)) after.push_back(one);
  return after;
}

} // namespace mockgpu
