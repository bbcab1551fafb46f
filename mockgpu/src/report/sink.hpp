#pragma once
#include <functional>

#include "mockgpu/control.hpp"

namespace mockgpu {

/// Text on standard error, and JSON lines appended to the file that MOCKGPU_REPORT names.
[[nodiscard]] std::function<void(finding const&)> default_sink();
/// MOCKGPU_SCHEDULE, MOCKGPU_DIALECT. Exits with a message on standard error for a value that is none.
[[nodiscard]] options options_from_environment();

} // namespace mockgpu
