#pragma once
/// \file Host threads, as far as the runtime tells them apart.
#include <cstdint>

namespace mockgpu {

/// Number of the calling thread, from 1, in order of their first use of the runtime. Its default
/// streams end with it.
[[nodiscard]] std::uint32_t this_thread_number() noexcept;

} // namespace mockgpu
