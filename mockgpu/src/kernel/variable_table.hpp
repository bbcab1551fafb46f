#pragma once
/// \file The variables of the program's libraries that are no memory of the host.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernel/shared_layout.hpp"
#include "mockgpu/abi.h"

namespace mockgpu {

/// The static shared variables of the library which holds the kernel; null where it has none.
/// Valid until the library is unloaded.
[[nodiscard]] shared_layout const* static_shared_memory(void const* kernel_entry);

/// Told of every variable of the device, those that are known now and those of libraries that are
/// loaded later. One listener; an empty function ends it.
using variable_listener = std::function<void(mockgpu_variable_record const&, bool loaded)>;
void listen_to_variables(variable_listener);

/// The demangled name.
[[nodiscard]] std::string variable_name(mockgpu_variable_record const&);

} // namespace mockgpu
