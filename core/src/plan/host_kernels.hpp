#pragma once
/// \file Maps of the host's code that become kernels.
#include <vector>

#include "plan/environment.hpp"

namespace assay::plan {

/// Registers the kernel of the map at a node and adds its launch.
/// \param prints what the map touches
/// \throws error{invalid_input} for a block of more threads than devices have, and for a kernel
/// that touches memory of the host.
void lower_kernel(draft&, environment, sdfg::state const&, std::size_t node, sdfg::map_entry const&,
                  std::vector<footprint> prints, step_list& out);

} // namespace assay::plan
