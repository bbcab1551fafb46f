#pragma once
/// \file Copies between containers of the host's code.
#include "plan/environment.hpp"

namespace assay::plan {

/// Adds the steps of the copy along an edge between two access nodes: one of the vendor's, or loops
/// of the host; more where source and target may overlap, or the source is a compile-time array.
/// \throws error{unsupported} where no copy does what the edge says.
void copy_edge(draft&, environment const&, sdfg::state const&, std::size_t edge, step_list& out);

} // namespace assay::plan
