#ifndef MOCKGPU_SHIM_HIP_EXT_H
#define MOCKGPU_SHIM_HIP_EXT_H
#pragma GCC system_header
/* Launches between two events, either of which may be null. */
#include <hip/hip_runtime.h>

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  inline void record_if_any(hipEvent_t event, hipStream_t stream) {
    if (event != nullptr) (void)hipEventRecord(event, stream);
  }
} // namespace )

inline hipError_t hipExtLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                     size_t shared_bytes, hipStream_t stream, hipEvent_t start,
                                     hipEvent_t stop, int) {
  ::mockgpu_shim::record_if_any(start, stream);
  hipError_t const status = hipLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
  ::mockgpu_shim::record_if_any(stop, stream);
  return status;
}
#define hipExtLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, start, stop, flags, ...)  \
  ([&](hipStream_t mockgpu_stream) {                                                               \
    ::mockgpu_shim::record_if_any(start, mockgpu_stream);                                          \
    hipLaunchKernelGGL(kernel, grid, block, shared_bytes, mockgpu_stream, __VA_ARGS__);            \
    ::mockgpu_shim::record_if_any(stop, mockgpu_stream);                                           \
  }(stream))
#endif
