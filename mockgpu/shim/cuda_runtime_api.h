#ifndef MOCKGPU_SHIM_CUDA_RUNTIME_API_H
#define MOCKGPU_SHIM_CUDA_RUNTIME_API_H
#pragma GCC system_header
/* The calls of CUDA's runtime API that the mock has. Anything else does not link. */
#include "mockgpu/types_cuda.h"

#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

/* Devices. */
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);

/* Errors. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
char const* cudaGetErrorName(cudaError_t error);
char const* cudaGetErrorString(cudaError_t error);

/* Memory. */
cudaError_t cudaMalloc(void** pointer, size_t size_bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMallocHost(void** pointer, size_t size_bytes);
cudaError_t cudaHostAlloc(void** pointer, size_t size_bytes, unsigned int flags);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaMallocAsync(void** pointer, size_t size_bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, void const* pointer);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);

/* Memory pools. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, struct cudaMemPoolProps const* properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes);

/* Copies and fills. */
cudaError_t cudaMemcpy(void* target, void const* source, size_t size_bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* target, void const* source, size_t size_bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, void const* source, size_t source_pitch,
                         size_t width_bytes, size_t rows, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, void const* source,
                              size_t source_pitch, size_t width_bytes, size_t rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemset(void* target, int value, size_t size_bytes);
cudaError_t cudaMemsetAsync(void* target, int value, size_t size_bytes,
                            cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width_bytes, size_t rows);
cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width_bytes,
                              size_t rows, cudaStream_t stream MOCKGPU_DEFAULT(0));

/* Streams. */
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags MOCKGPU_DEFAULT(0));
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);

/* Events. */
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

/* Launch from code whose kernel has lost its type: refused by name. C++ code launches through the
 * macro of the same name (mockgpu/launch.h). */
cudaError_t cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream);

#ifdef __cplusplus
}

#include "mockgpu/launch.h"

extern "C++" {
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  struct cuda {
    using error = cudaError_t;
    using stream = cudaStream_t;
    static constexpr char const* launch_name = "cudaLaunchKernel";
  };
} // namespace )
}

#define cudaLaunchKernel(...) MOCKGPU_LAUNCH(cuda, "cudaLaunchKernel", #__VA_ARGS__, __VA_ARGS__)
#endif
#endif
