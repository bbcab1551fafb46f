#ifndef MOCKGPU_SHIM_HIP_RUNTIME_H
#define MOCKGPU_SHIM_HIP_RUNTIME_H
#pragma GCC system_header
/* HIP's C++ face: typed allocation, launches and what kernels use. */
#include "hip/hip_runtime_api.h"

#ifdef __cplusplus
#include "mockgpu/device.h"

/* What `<<<>>>` launches through. */
#ifndef MOCKGPU_CONFIGURATION
#define MOCKGPU_CONFIGURATION
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  using configuration = launch_configuration<hip>;
}
#endif

template <class T> hipError_t hipMalloc(T** pointer, size_t size_bytes) {
  return hipMalloc(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> hipError_t hipMallocHost(T** pointer, size_t size_bytes) {
  return hipMallocHost(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> hipError_t hipHostAlloc(T** pointer, size_t size_bytes, unsigned flags) {
  return hipHostAlloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
template <class T> hipError_t hipMallocAsync(T** pointer, size_t size_bytes, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void**>(pointer), size_bytes, stream);
}
template <class T>
hipError_t hipMallocAsync(T** pointer, size_t size_bytes, hipMemPool_t pool, hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
hipError_t hipMallocFromPoolAsync(T** pointer, size_t size_bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
hipError_t hipHostMalloc(T** pointer, size_t size_bytes, unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(...)                                                                    \
  ::mockgpu_shim::launch_values<::mockgpu_shim::hip>(                                              \
      ::mockgpu_shim::launch_site{"hipLaunchKernelGGL", #__VA_ARGS__, __FILE__, __LINE__},         \
      __VA_ARGS__)
#endif
#endif
