#pragma once
/// \file First stage of lowering: what the host does, in the SDFG's order, on one stream, without memory
/// management or waits. Buffers, kernels and host symbols are registered on the way.
#include "plan/environment.hpp"

namespace assay::plan {

/// Fills `plan.buffers`, `plan.symbols`, `plan.kernels` and `plan.body`.
void lower_structure(draft&, sdfg::graph const&);

} // namespace assay::plan
