#pragma once
/// \file Which random programs there are, and which smaller ones a failing program is tried as.
#include <vector>

#include "fuzz/program_spec.hpp"
#include "fuzz/random.hpp"

namespace assay::fuzz {

[[nodiscard]] program_spec draw_program(random_source&);

/// Smaller variants, the smallest first: without blocks, operations, branches and nesting, then
/// with smaller sizes. Each is smaller by `weight`, so that a search among them ends.
[[nodiscard]] std::vector<program_spec> smaller(program_spec const&);
[[nodiscard]] std::uint64_t weight(program_spec const&);

} // namespace assay::fuzz
