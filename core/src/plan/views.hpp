#pragma once
/// \file Views: containers that are another name for a part of a container.
#include <optional>

#include "plan/environment.hpp"

namespace assay::plan {

/// Whether a dataflow edge says what a view shows, and so moves nothing.
[[nodiscard]] bool is_view_edge(sdfg::graph const&, sdfg::state const&, std::size_t edge);

/// The access node of what the view at `node` shows; none where that is no container.
[[nodiscard]] std::optional<std::size_t> shown_by(sdfg::graph const&, sdfg::state const&,
                                                  std::size_t node);

/// Binds the views whose access nodes lie directly in the scope of `entry` (nullopt: top level) to
/// the memory of what they show. \throws error{unsupported} for a view that shows two things in one
/// state, or elements of another type.
void bind_views(environment&, sdfg::state const&, std::optional<std::size_t> entry);

} // namespace assay::plan
