#pragma once
/// \file Arrays of one thread whose size only the run tells.
#include <cstdlib>

#include "assay/generated/math.hpp"

namespace assay::gen {

/// Memory for `count` elements, in a kernel from the device's heap; given back where the scope ends. Not
/// initialised. A thread that gets none ends the program: going on would write through a null pointer.
template <class T> class local_array {
public:
  ASSAY_GENERATED_FN explicit local_array(long long count)
      : data(static_cast<T*>(malloc(static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T)))) {
    if (data == nullptr) stop();
  }
  ASSAY_GENERATED_FN ~local_array() { free(data); }
  local_array(local_array const&) = delete;
  local_array& operator=(local_array const&) = delete;

  T* const data;

private:
  static ASSAY_GENERATED_FN void stop() {
#if defined(__CUDA_ARCH__)
    __trap();
#elif defined(__HIP_DEVICE_COMPILE__)
    __builtin_trap();
#else
    abort();
#endif
  }
};

} // namespace assay::gen
