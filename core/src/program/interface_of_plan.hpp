#pragma once
/// \file What a caller of generated code has to know of the plan that it was made from.
#include "assay/compiled_program.hpp"
#include "assay/plan.hpp"

namespace assay {

/// The sizes are fixed at init where init allocates any array: in the mode persistent, and in the
/// mode external for memory that no workspace gives, like pinned arrays.
[[nodiscard]] program_interface interface_of(plan::program const&);

} // namespace assay
