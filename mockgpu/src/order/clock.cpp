#include "order/clock.hpp"

#include <algorithm>

namespace mockgpu {

clock_ref join(clock_ref const& left, clock_ref const& right) {
  if (left == right || !right) return left;
  if (!left) return right;
  auto const covers = [](clock const& a, clock const& b) {
    for (std::size_t i = 0; i < b.size(); ++i)
      if (b[i] > (i < a.size() ? a[i] : 0)) return false;
    return true;
  };
  if (covers(*left, *right)) return left;
  if (covers(*right, *left)) return right;
  auto both = std::make_shared<clock>(*left);
  if (both->size() < right->size()) both->resize(right->size(), 0);
  for (std::size_t i = 0; i < right->size(); ++i) (*both)[i] = std::max((*both)[i], (*right)[i]);
  return both;
}

clock_ref join(clock_ref const& base, chain_index chain, issue_number issue) {
  if (covered(base, chain) >= issue) return base;
  auto both = base ? std::make_shared<clock>(*base) : std::make_shared<clock>();
  if (both->size() <= chain) both->resize(chain + std::size_t{1}, 0);
  (*both)[chain] = issue;
  return both;
}

} // namespace mockgpu
