#pragma once
/// \file The parts of CUDA and HIP that are not C++, turned into C++ after the preprocessor.
#include <stdexcept>
#include <string>
#include <string_view>

namespace mockgpu::tools {

/// Device code that cannot be turned into C++. The message is "<file>:<line>: error: ...".
struct rewrite_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rewrites preprocessed text; lines keep their numbers.
///
/// - `K<<<c>>>(a)` becomes `(::mockgpu_shim::configuration(c), K(a))`: overloads, templates,
/// default
///   arguments and conversions are the compiler's, as in any call.
/// - The shim's macros for `__global__`, `__device__`, `__constant__`, `__shared__` and
///   `__managed__` expand to a mark with a replacement, `__mockgpu_global__(...)`. A kernel's body
///   gets a first statement that hands a launch to the runtime. A variable gets the replacement, a
///   function (of `__device__`) nothing.
/// - Inline assembly for NVIDIA's devices becomes its equivalent, where it has one (inline_ptx.hpp).
/// - `extern __shared__ T s[]` becomes a pointer to the block's dynamic shared memory.
///
/// \throws rewrite_error for forms that are not understood.
[[nodiscard]] std::string rewrite_source(std::string_view preprocessed);

} // namespace mockgpu::tools
