#pragma once
/// \file Memory that is not the mock's: what a kernel's stray address leads to.
#include <cstdint>

namespace mockgpu {

enum class address_class : std::uint8_t {
  kernel_stack, ///< a local of a device thread
  past_shared_memory, ///< near the shared memory of the running block, but not in it
  library_data, ///< static data of the program or of a library that nobody can change
  host_data,    ///< other static data of the program or of a library
  mapped,       ///< other host memory: heap, host stack
  near_null,    ///< null, or an offset from a null base
  unmapped,
};
[[nodiscard]] address_class classify(std::uintptr_t address);

/// Ends the process at once, without destructors, after output streams have been flushed.
[[noreturn]] void end_process(int exit_code) noexcept;

} // namespace mockgpu
