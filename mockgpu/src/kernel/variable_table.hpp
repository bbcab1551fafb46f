#pragma once
/// \file The variables of the program's libraries that are no memory of the host.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mockgpu/abi.h"

namespace mockgpu {

/// Bytes that hold all static shared variables of one library.
struct shared_range {
  std::byte* begin = nullptr;
  std::size_t size_bytes = 0;
};
/// That of the library which holds the kernel; empty where it has none.
[[nodiscard]] shared_range static_shared_memory(void const* kernel_entry);

/// Told of every variable of the device, those that are known now and those of libraries that are
/// loaded later. One listener; an empty function ends it.
using variable_listener = std::function<void(mockgpu_variable_record const&, bool loaded)>;
void listen_to_variables(variable_listener);

/// The demangled name.
[[nodiscard]] std::string variable_name(mockgpu_variable_record const&);

} // namespace mockgpu
