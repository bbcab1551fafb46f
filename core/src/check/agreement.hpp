#pragma once
/// \file Whether two runs of the same settings came to the same, as they must.
#include <string>

#include "assay/results.hpp"

namespace assay {

/// The first thing in which the runs differ, "9 operations, then 8", or empty. Times do not count.
[[nodiscard]] std::string disagreement(judged_run const& first, judged_run const& second);

/// Makes the disagreement, if there is one, the outcome of the run.
void require_agreement(judged_run& run, judged_run const& second);

} // namespace assay
