#include "hip/hip_runtime_api.h"

#undef hipLaunchKernel

#define GPU_JOIN_(a, b) a##b
#define GPU(name) GPU_JOIN_(hip, name)
#define GPU_ENUM(name) hip##name
#define GPU_NAME(name) "hip" #name

#include "api/entry_points.inc"

namespace {

constexpr mockgpu::error_text errors[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {9, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {17, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {800, "hipErrorNotPermitted", "operation not permitted"},
    {801, "hipErrorNotSupported", "operation not supported"},
    {999, "hipErrorUnknown", "unknown error"},
};

} // namespace

extern "C" {

ENTRY("call", GetDeviceProperties, (hipDeviceProp_t * p, int device),
      mockgpu::fill_properties(c, p, device))
ENTRY("call", PointerGetAttributes, (hipPointerAttribute_t * out, void const* pointer),
      mockgpu::fill_pointer_attributes(c, out, pointer))
ENTRY("call", MemPoolCreate, (hipMemPool_t * pool, hipMemPoolProps const* properties),
      properties == nullptr || !mockgpu::made(pool)
          ? status::invalid_value
          : c.on().create_pool(properties->location.id, reinterpret_cast<void**>(pool)))
ENTRY("call", MemPoolSetAttribute, (hipMemPool_t pool, hipMemPoolAttr attribute, void* value),
      c.on().set_pool_attribute(c.site, pool, attribute, value))
ENTRY("call", MemPoolGetAttribute, (hipMemPool_t pool, hipMemPoolAttr attribute, void* value),
      c.on().get_pool_attribute(c.site, pool, attribute, value))
ENTRY("alloc", HostMalloc, (void** pointer, size_t size_bytes, unsigned int),
      mockgpu::made(pointer) ? c.on().allocate_pinned(c.site, pointer, size_bytes)
                             : status::invalid_value)
ENTRY("free", HostFree, (void* pointer), c.on().release_pinned(c.site, pointer))

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  hipDeviceProp_t p;
  hipError_t const result = hipGetDeviceProperties(&p, device);
  if (result != hipSuccess || value == nullptr)
    return result != hipSuccess ? result : hipErrorInvalidValue;
  switch (attribute) {
  case hipDeviceAttributeMaxThreadsPerBlock:
    *value = p.maxThreadsPerBlock;
    break;
  case hipDeviceAttributeMultiprocessorCount:
    *value = p.multiProcessorCount;
    break;
  case hipDeviceAttributeWarpSize:
    *value = p.warpSize;
    break;
  case hipDeviceAttributeMemoryPoolsSupported:
    *value = p.memoryPoolsSupported;
    break;
  default:
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

char const* hipGetErrorName(hipError_t error) { return mockgpu::find_error(errors, error).name; }
char const* hipGetErrorString(hipError_t error) { return mockgpu::find_error(errors, error).text; }

hipError_t hipLaunchKernel(void const* kernel, dim3, dim3, void**, size_t, hipStream_t) {
  return static_cast<hipError_t>(
      mockgpu_refuse_launch("hipLaunchKernel", kernel, nullptr, nullptr, 0));
}

} // extern "C"
