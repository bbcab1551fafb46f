#pragma once
/// \file Questions about the graph of one state and about regions.
#include <string>
#include <vector>

#include "assay/sdfg.hpp"

namespace assay::plan {

/// Edges into and out of each node, by edge index in the file's order.
struct adjacency {
  std::vector<std::vector<std::size_t>> in, out;
};
[[nodiscard]] adjacency adjacency_of(sdfg::state const&);

/// Nodes directly in the scope of `entry` (nullopt: top level), in topological order, lowest index first.
/// Scope exits are left out. \throws error{invalid_input} for a cycle.
[[nodiscard]] std::vector<std::size_t> scope_order(sdfg::state const&, std::optional<std::size_t> entry,
                                                   std::string const& place);

/// The scopes around a node, from the outermost to the innermost.
[[nodiscard]] std::vector<std::size_t> scope_chain(sdfg::state const&, std::size_t node);

/// The node where the memlet path through `edge` starts or ends (never a scope node, unless the path begins at a
/// map entry without data).
[[nodiscard]] std::size_t path_source(sdfg::state const&, std::size_t edge);
[[nodiscard]] std::size_t path_target(sdfg::state const&, std::size_t edge);

/// One block of a region in execution order, with the edge that led to it.
struct sequence_item {
  sdfg::interstate_edge const* via = nullptr; ///< absent for the start
  sdfg::block const* block = nullptr;
};
/// The region as a sequence. \throws error{unsupported} where a block has several successors.
[[nodiscard]] std::vector<sequence_item> sequence_of(sdfg::region const&, std::string const& place);

} // namespace assay::plan
