#pragma once
/// \file Random cases, and the loop that checks a property over them.
#include <cstdint>
#include <functional>
#include <string>

#include "fuzz/case_spec.hpp"

namespace assay::fuzz {

/// Thrown by a property that does not hold for a case.
struct violation {
  std::string message;
};

/// What a finished check says.
struct check_result {
  std::string failure; ///< empty where the property held; else the shrunk case and its message
  int cases = 0;
  double seconds = 0; ///< of processor time: the same on a busy machine
  std::uint64_t seed = 0;
};

/// Checks a property over random cases. The seed is fixed, or ASSAY_PROPERTY_SEED ("random" draws
/// one); `cases` is multiplied by ASSAY_PROPERTY_SCALE. Failures are shrunk. An exception of any
/// type but `violation` is a failure, too.
[[nodiscard]] check_result check(std::string const& name, int cases,
                                 std::function<void(case_spec const&)> const& property);

} // namespace assay::fuzz
