#pragma once
/// \file Options and report file from MOCKGPU_* variables.
#include <cstdint>
#include <string>
#include <string_view>

#include "mockgpu/control.hpp"

namespace mockgpu {

/// Where MOCKGPU_DIALECT is not set, the first call of the process tells which vendor it is for:
/// cuda-13 or hip-7. To be said before the options are read.
void note_first_call(std::string_view entry_point);
/// \throws std::invalid_argument naming the variable and its value.
[[nodiscard]] options options_from_environment();
/// The sink of a process that set none: text on standard error (unless MOCKGPU_QUIET is 1), and
/// JSON lines in MOCKGPU_REPORT.
void report_by_default(finding const&);
/// Lines in MOCKGPU_REPORT beside the findings: the first runtime call, and the closing look with
/// what was checked. A process without the second one was cut short.
void report_begin();
/// What an exhaustive schedule came to, on standard error and as a line of the report.
void report_orders(covered_orders const&);
/// A call, by its number, that fails because the user asked for it.
void report_fault(std::uint64_t call, std::string const& entry_point, source_location const&);
void report_end(statistics const&);

} // namespace mockgpu
