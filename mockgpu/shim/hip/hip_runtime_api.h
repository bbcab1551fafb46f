#ifndef MOCKGPU_SHIM_HIP_RUNTIME_API_H
#define MOCKGPU_SHIM_HIP_RUNTIME_API_H
#pragma GCC system_header
/* The calls of HIP's runtime API that the mock has. Anything else does not link. */
#include "hip/hip_version.h"
#include "mockgpu/types_hip.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices. */
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipRuntimeGetVersion(int* version);

/* Errors. */
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
char const* hipGetErrorName(hipError_t error);
char const* hipGetErrorString(hipError_t error);

/* Memory. */
hipError_t hipMalloc(void** pointer, size_t size_bytes);
hipError_t hipFree(void* pointer);
hipError_t hipMallocHost(void** pointer, size_t size_bytes);
hipError_t hipHostMalloc(void** pointer, size_t size_bytes, unsigned int flags MOCKGPU_DEFAULT(0));
hipError_t hipHostAlloc(void** pointer, size_t size_bytes, unsigned int flags);
hipError_t hipHostFree(void* pointer);
hipError_t hipFreeHost(void* pointer);
hipError_t hipMallocAsync(void** pointer, size_t size_bytes, hipStream_t stream);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipMallocFromPoolAsync(void** pointer, size_t size_bytes, hipMemPool_t pool,
                                  hipStream_t stream);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, void const* pointer);
hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total_bytes);

/* Memory pools. */
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
hipError_t hipMemPoolCreate(hipMemPool_t* pool, hipMemPoolProps const* properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep_bytes);

/* Copies and fills. */
hipError_t hipMemcpy(void* target, void const* source, size_t size_bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* target, void const* source, size_t size_bytes, hipMemcpyKind kind,
                          hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemcpy2D(void* target, size_t target_pitch, void const* source, size_t source_pitch,
                       size_t width_bytes, size_t rows, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void* target, size_t target_pitch, void const* source,
                            size_t source_pitch, size_t width_bytes, size_t rows,
                            hipMemcpyKind kind, hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemset(void* target, int value, size_t size_bytes);
hipError_t hipMemsetAsync(void* target, int value, size_t size_bytes,
                          hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemset2D(void* target, size_t pitch, int value, size_t width_bytes, size_t rows);
hipError_t hipMemset2DAsync(void* target, size_t pitch, int value, size_t width_bytes, size_t rows,
                            hipStream_t stream MOCKGPU_DEFAULT(0));

/* Streams. */
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned int flags MOCKGPU_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user_data,
                                unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data);

/* Events. */
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);

/* Launch from code whose kernel has lost its type: refused by name. C++ code launches through the
 * macro of the same name (mockgpu/launch.h). */
hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t shared_bytes, hipStream_t stream);

#ifdef __cplusplus
}

#include "mockgpu/launch.h"

extern "C++" {
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  struct hip {
    using error = hipError_t;
    using stream = hipStream_t;
    static constexpr char const* launch_name = "hipLaunchKernel";
  };
} // namespace )
}

#define hipLaunchKernel(...) MOCKGPU_LAUNCH(hip, "hipLaunchKernel", #__VA_ARGS__, __VA_ARGS__)
#endif
#endif
