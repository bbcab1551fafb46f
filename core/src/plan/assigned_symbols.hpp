#pragma once
/// \file The symbols that an SDFG assigns itself, on interstate edges and in loops, and their
/// types.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/sdfg.hpp"

namespace assay::plan {

/// The regions directly inside a block.
[[nodiscard]] std::vector<sdfg::region const*> inner_regions(sdfg::block const&);

/// Names that the region or anything inside it assigns; those inside nested SDFGs are not among
/// them.
[[nodiscard]] std::set<std::string> assigned_symbols(sdfg::region const&);

/// The type of each symbol that the graph assigns: as declared, else one that holds all that is
/// assigned to it. Integers that nothing declares are of 64 bits: a counter that starts with a
/// literal must not be narrower than what it is compared with.
[[nodiscard]] std::map<std::string, dtype> types_of_assigned(sdfg::graph const&);

} // namespace assay::plan
