#ifndef MOCKGPU_SHIM_CUDA_RUNTIME_H
#define MOCKGPU_SHIM_CUDA_RUNTIME_H
/* Guards of the toolkit's own headers, which programs ask for: "have I the runtime and its types?" */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#pragma GCC system_header
/* CUDA's C++ face: typed allocation, launches and what kernels use. */
#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include "mockgpu/device.h"

/* What `<<<>>>` launches through. */
#ifndef MOCKGPU_CONFIGURATION
#define MOCKGPU_CONFIGURATION
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  using configuration = launch_configuration<cuda>;
}
#endif

template <class T> cudaError_t cudaMalloc(T** pointer, size_t size_bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> cudaError_t cudaMallocHost(T** pointer, size_t size_bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> cudaError_t cudaHostAlloc(T** pointer, size_t size_bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t size_bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), size_bytes, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t size_bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
#endif
#endif
