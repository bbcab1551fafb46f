#pragma once
/// \file Which steps leave nothing of what a buffer held before.
#include "assay/plan.hpp"

namespace assay::plan {

/// Whether a step writes every element of the buffer, whatever its data, and reads none of them. No
/// is always a right answer. A step that has nothing to do (empty grid, no elements) counts as yes
/// only where the buffer then has no elements either.
[[nodiscard]] bool overwrites(program const&, step const&, buffer_id);

} // namespace assay::plan
