#pragma once
/// \file The fault that the checker must find: one wait less.
#include <cstddef>

#include "assay/plan.hpp"

namespace assay::fuzz {

/// Steps that order the device with the host or streams with each other, nested ones included.
[[nodiscard]] std::size_t count_waits(plan::program const&);
/// The program without its wait number `which`, counted in execution order of the text.
[[nodiscard]] plan::program without_wait(plan::program, std::size_t which);
/// The step itself, for reports.
[[nodiscard]] plan::step wait_at(plan::program const&, std::size_t which);

} // namespace assay::fuzz
