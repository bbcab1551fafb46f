#pragma once
/// \file State machines as structured control flow: lowering knows loops and branches only.
#include <optional>

#include "assay/sdfg.hpp"

namespace assay::sdfg {

/// The graph with every region a line of blocks: edges that branch become conditional blocks, edges
/// that go back become loops, and what has no such form becomes a loop over a variable that names
/// the next block. Nested SDFGs too.
/// \returns nothing where all regions are lines already.
/// \throws error{unsupported} for a block that nothing leads to.
[[nodiscard]] std::optional<graph> with_structured_control_flow(graph const&);

} // namespace assay::sdfg
