#pragma once
/// \file Sizes for decisions that must not depend on a call's symbols.
#include <cstdint>

#include "assay/error.hpp"
#include "assay/expression.hpp"

namespace assay::plan {

/// The value with 64 for every symbol; 0 where that has none: nothing to prefer. Any answer is
/// right, as long as it is always the same.
[[nodiscard]] inline std::int64_t nominal(expression const& size) {
  symbol_values values;
  for (auto const& name : free_names(size)) values.emplace(name, 64);
  try {
    return evaluate_integer(size, values);
  } catch (error const&) {
    return 0;
  }
}

} // namespace assay::plan
