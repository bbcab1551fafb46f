#pragma once
/// \file The kernels that are measured, behind one function for each way of building their text.
#include <cstddef>

namespace bench {

enum class kernel_kind { stencil, axpy, gather, reduction };

/// Device or host memory, by the way of building. `side` points in each direction; n = side * side
/// elements.
struct buffers {
  void* target;
  void const* source;
  int const* indices; ///< a permutation of 0 .. n-1
  int side;
  bool single; ///< elements are float, not double
};

/// One launch over all elements, and what it takes until the result is there.
namespace plain {
void run(kernel_kind, buffers const&); ///< a loop over threads, without hooks
}
namespace checked {
void run(kernel_kind, buffers const&); ///< mockgpu, all checks on
}
namespace sanitized {
void run(kernel_kind,
         buffers const&); ///< the loop over threads, under the compiler's own ThreadSanitizer
}

} // namespace bench
