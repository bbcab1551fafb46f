#include "schedule/priorities.hpp"

#include <algorithm>

namespace mockgpu {
namespace {

// The number of steps of a program is not known when it begins. Changes are as likely between steps
// 4 and 8 as between 4096 and 8192, so that short and long programs have them within their length.
constexpr unsigned magnitudes = 14;

} // namespace

priorities::priorities(choices& source) : choices_(source) {
  if (source.schedule() != schedule_kind::pct) return;
  add(host_chain);
  for (unsigned i = 1; i < source.depth(); ++i) {
    unsigned const magnitude = source.draw(choice::priority, magnitudes);
    changes_.push_back((std::uint64_t{1} << magnitude) +
                       source.draw(choice::priority, 1u << magnitude));
  }
  std::sort(changes_.begin(), changes_.end());
}

void priorities::add(chain_index chain) {
  if (choices_.schedule() != schedule_kind::pct) return;
  if (values_.size() <= chain) values_.resize(chain + std::size_t{1});
  values_[chain] = std::int64_t(1 + choices_.draw(choice::priority, 1u << 30));
}

bool priorities::drops(chain_index chain) {
  if (next_change_ == changes_.size() || ++steps_ < changes_[next_change_]) return false;
  ++next_change_;
  lower(chain);
  return true;
}

} // namespace mockgpu
