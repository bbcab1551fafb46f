#pragma once
/// \file What the references of one SDFG stand for.
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/environment.hpp"

namespace assay::plan {

/// Whether the edge lets a reference stand for a container: nothing is copied along it.
[[nodiscard]] bool is_set_edge(sdfg::graph const&, sdfg::state const&, std::size_t edge);

/// The containers of the graph that are no views and no references, of which edges set this
/// reference to a part, in the order of the file.
/// \throws error{unsupported} where code sets it, or nothing does, or the element type differs.
[[nodiscard]] std::vector<std::string> targets_of(sdfg::graph const&, std::string const& reference);

/// The references among the containers of the state's access nodes, by name.
[[nodiscard]] std::set<std::string> references_in(sdfg::graph const&, sdfg::state const&);

/// What the edge sets its reference to, behind views and other references.
[[nodiscard]] std::vector<std::string> targets_of_edge(sdfg::graph const&, sdfg::state const&,
                                                       std::size_t edge);

/// Whether an access node outside all scopes names the container.
[[nodiscard]] bool is_at_top_level(sdfg::region const&, std::string const& container);

/// Refuses a state whose order leaves open which of its nodes of the reference come behind a set
/// edge, or that has several. \throws error{unsupported}
void demand_one_order(sdfg::graph const&, sdfg::state const&, std::string const& reference);

/// Elements between the variable of what the edge sets its reference to and the first of them.
/// \throws error{unsupported} where that is not available here.
[[nodiscard]] expression set_offset(environment const&, sdfg::state const&, std::size_t edge);

} // namespace assay::plan
