#pragma once
/// \file Options and report file from MOCKGPU_* variables.
#include <string>

#include "mockgpu/control.hpp"

namespace mockgpu {

/// \throws std::invalid_argument naming the variable and its value.
[[nodiscard]] options options_from_environment();
/// "eager", "lazy" or "random:SEED" into `into`. \throws std::invalid_argument
void parse_schedule(std::string const& text, options& into);
/// The sink of a process that set none: text on standard error, and JSON lines in MOCKGPU_REPORT.
void report_by_default(finding const&);

} // namespace mockgpu
