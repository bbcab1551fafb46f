#pragma once
/// \file The kernels of all loaded libraries that the drivers built, by entry address.
#include "mockgpu/abi.h"

namespace mockgpu {

/// The mangled symbol of the kernel at an entry address, or null where no kernel begins there.
[[nodiscard]] char const* find_kernel_symbol(void const* entry) noexcept;

/// Asks the kernel at `entry` for its parameters, for a launch that has lost their types. Fills in
/// entry, run_block, layout, argument_count and closure_bytes. False where no kernel begins there.
[[nodiscard]] bool ask_kernel(void const* entry, mockgpu_launch& answer) noexcept;

} // namespace mockgpu
