#include "program/interface_of_plan.hpp"

#include <algorithm>

namespace assay {

program_interface interface_of(plan::program const& plan) {
  program_interface result{plan.name, plan.signature};
  if (!plan.workspaces.empty())
    result.workspace_alignment_bytes =
        std::ranges::max(plan.workspaces, {}, &plan::workspace::alignment_bytes).alignment_bytes;
  result.sizes_fixed_at_init = std::ranges::any_of(plan.buffers, [](plan::buffer const& b) {
    return b.provision == plan::provision::persistent;
  });
  return result;
}

} // namespace assay
