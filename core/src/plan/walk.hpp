#pragma once
/// \file Reading and rewriting plans as trees: the only place that knows where steps nest.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "assay/plan.hpp"

namespace assay::plan {

template <typename... Functions> struct overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions> overloaded(Functions...) -> overloaded<Functions...>;

/// The step lists directly inside a step (arms of a branch, body of a loop), in order.
[[nodiscard]] std::vector<step_list*> inner_lists(step&);
[[nodiscard]] std::vector<step_list const*> inner_lists(step const&);
/// Footprints of the step itself, without inner lists.
[[nodiscard]] std::vector<footprint> const* own_footprints(step const&);
/// Buffers that the step or anything inside it touches.
[[nodiscard]] std::set<buffer_id> touched_buffers(step const&);
/// Symbol variables that the step or anything inside it assigns.
[[nodiscard]] std::set<std::string> assigned_symbols(step const&);
/// Depth-first over all steps, outer before inner.
void for_each_step(step_list const&, std::function<void(step const&)> const&);
void for_each_step(step_list&, std::function<void(step&)> const&);

/// Names that a compute block uses but does not declare, and those of them that it may write through.
struct outer_names {
  std::set<std::string> used, written;
};
[[nodiscard]] outer_names outer_names_of(compute_block const&);

/// All names in Python statements that are not targets of a plain assignment before.
void collect_free_names(std::vector<statement> const&, std::set<std::string>& names);

} // namespace assay::plan
