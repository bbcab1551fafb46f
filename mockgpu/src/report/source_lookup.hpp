#pragma once
/// \file From an address in loaded code to a line of its source.
#include "mockgpu/findings.hpp"

namespace mockgpu {

/// The place that a return address leads back to: the call before it. Reads debug information of
/// the process at the first use; unknown parts are left empty. Remembered by address.
[[nodiscard]] source_location locate(void const* return_address);

} // namespace mockgpu
