#pragma once
/// \file The shape of an entry point: a call of the engine, and the vendor's status of it. To be
/// included after the vendor's names (cuda_vendor.hpp, hip_vendor.hpp).
#include "api/support.hpp"

namespace {
using mockgpu::status;
} // namespace

/// \param symbol what the linker knows it by.  \param name what the program's author wrote.
#define ENTRY_AS(symbol, what, name, parameters, expression)                                       \
  GPU(Error_t) symbol parameters {                                                                 \
    mockgpu::call c(what, GPU_NAME(name), __builtin_return_address(0));                            \
    return static_cast<GPU(Error_t)>(mockgpu::run(c, [&]() -> status { return expression; }));     \
  }
#define ENTRY(what, name, parameters, expression)                                                  \
  ENTRY_AS(GPU(name), what, name, parameters, expression)

/// A call that the mock has no answer for: it says so by name.
#define REFUSED(name, parameters) ENTRY("call", name, parameters, mockgpu::refuse(c))
