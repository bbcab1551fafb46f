#pragma once
#include "mockgpu/findings.hpp"

namespace mockgpu {

/// File, line and function of the call before a return address, through the debug information of the program and
/// its libraries; empty where there is none. Slow, and remembered: for reports only.
[[nodiscard]] source_location source_line_of(void const* return_address);

} // namespace mockgpu
