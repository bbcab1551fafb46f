#include "cuda_runtime_api.h"

#undef cudaLaunchKernel

#define GPU_JOIN_(a, b) a##b
#define GPU(name) GPU_JOIN_(cuda, name)
#define GPU_ENUM(name) enum cuda##name
#define GPU_NAME(name) "cuda" #name

#include "api/entry_points.inc"

namespace {

constexpr mockgpu::error_text errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {999, "cudaErrorUnknown", "unknown error"},
};

} // namespace

extern "C" {

ENTRY("call", GetDeviceProperties, (cudaDeviceProp * p, int device),
      mockgpu::fill_properties(c, p, device))
ENTRY("call", PointerGetAttributes, (cudaPointerAttributes * out, void const* pointer),
      mockgpu::fill_pointer_attributes(c, out, pointer))
ENTRY("call", MemPoolCreate, (cudaMemPool_t * pool, cudaMemPoolProps const* properties),
      properties == nullptr || !mockgpu::made(pool)
          ? status::invalid_value
          : c.on().create_pool(properties->location.id, reinterpret_cast<void**>(pool)))
ENTRY("call", MemPoolSetAttribute,
      (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value),
      c.on().set_pool_attribute(c.site, pool, attribute, value))
ENTRY("call", MemPoolGetAttribute,
      (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value),
      c.on().get_pool_attribute(c.site, pool, attribute, value))

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  cudaError_t const result = cudaGetDeviceProperties(&p, device);
  if (result != cudaSuccess || value == nullptr)
    return result != cudaSuccess ? result : cudaErrorInvalidValue;
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = p.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxGridDimX:
    *value = p.maxGridSize[0];
    break;
  case cudaDevAttrMaxGridDimY:
    *value = p.maxGridSize[1];
    break;
  case cudaDevAttrMaxGridDimZ:
    *value = p.maxGridSize[2];
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = static_cast<int>(p.sharedMemPerBlock);
    break;
  case cudaDevAttrWarpSize:
    *value = p.warpSize;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = p.multiProcessorCount;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = p.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = p.minor;
    break;
  case cudaDevAttrMemoryPoolsSupported:
    *value = p.memoryPoolsSupported;
    break;
  default:
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

char const* cudaGetErrorName(cudaError_t error) { return mockgpu::find_error(errors, error).name; }
char const* cudaGetErrorString(cudaError_t error) {
  return mockgpu::find_error(errors, error).text;
}

cudaError_t cudaLaunchKernel(void const* kernel, dim3, dim3, void**, size_t, cudaStream_t) {
  return static_cast<cudaError_t>(
      mockgpu_refuse_launch("cudaLaunchKernel", kernel, nullptr, nullptr, 0));
}

} // extern "C"
