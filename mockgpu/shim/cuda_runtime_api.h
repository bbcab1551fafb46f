#ifndef MOCKGPU_SHIM_CUDA_RUNTIME_API_H
#define MOCKGPU_SHIM_CUDA_RUNTIME_API_H
#pragma GCC system_header
/* The calls of CUDA's runtime API that the mock has. Anything else does not link. */
#include "mockgpu/types_cuda.h"

#define CUDART_VERSION 13000

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "mockgpu/per_thread_cuda.h"
#endif

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
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaSetValidDevices(int* devices, int count);
cudaError_t cudaChooseDevice(int* device, struct cudaDeviceProp const* wanted);
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetPCIBusId(char* text, int size_bytes, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, char const* text);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaCtxResetPersistingL2Cache(void);

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
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width_bytes, size_t rows);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr* made, struct cudaExtent extent);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int* flags, void* host);
cudaError_t cudaHostRegister(void* host, size_t size_bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* host);
cudaError_t cudaGetSymbolAddress(void** address, void const* symbol);
cudaError_t cudaGetSymbolSize(size_t* size_bytes, void const* symbol);
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
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, struct cudaMemAccessDesc const* wanted,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 struct cudaMemLocation* location);

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
cudaError_t cudaMemcpy3D(struct cudaMemcpy3DParms const* what);
cudaError_t cudaMemcpy3DAsync(struct cudaMemcpy3DParms const* what,
                              cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void* target, int target_device, void const* source, int source_device,
                           size_t size_bytes);
cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, void const* source,
                                int source_device, size_t size_bytes,
                                cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemcpy3DPeer(struct cudaMemcpy3DPeerParms const* what);
cudaError_t cudaMemcpy3DPeerAsync(struct cudaMemcpy3DPeerParms const* what,
                                  cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* source, size_t size_bytes,
                               size_t offset_bytes MOCKGPU_DEFAULT(0),
                               enum cudaMemcpyKind kind MOCKGPU_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void* target, void const* symbol, size_t size_bytes,
                                 size_t offset_bytes MOCKGPU_DEFAULT(0),
                                 enum cudaMemcpyKind kind MOCKGPU_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* source, size_t size_bytes,
                                    size_t offset_bytes, enum cudaMemcpyKind kind,
                                    cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void* target, void const* symbol, size_t size_bytes,
                                      size_t offset_bytes, enum cudaMemcpyKind kind,
                                      cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemset(void* target, int value, size_t size_bytes);
cudaError_t cudaMemsetAsync(void* target, int value, size_t size_bytes,
                            cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width_bytes, size_t rows);
cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width_bytes,
                              size_t rows, cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr target, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr target, int value, struct cudaExtent extent,
                              cudaStream_t stream MOCKGPU_DEFAULT(0));

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
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                   cudaLaunchAttributeValue const* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                   cudaLaunchAttributeValue* value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* answer);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);

/* Events. */
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream MOCKGPU_DEFAULT(0),
                                     unsigned int flags MOCKGPU_DEFAULT(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

/* Kernels as objects. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, void const* kernel);
cudaError_t cudaFuncSetAttribute(void const* kernel, enum cudaFuncAttribute which, int value);
cudaError_t cudaFuncSetCacheConfig(void const* kernel, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(void const* kernel, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel,
                                                          int threads, size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, void const* kernel, int blocks,
                                                      int threads);

/* Managed memory, judged like pinned memory. */
cudaError_t cudaMallocManaged(void** pointer, size_t size_bytes,
                              unsigned int flags MOCKGPU_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMemAdvise(void const* pointer, size_t size_bytes, enum cudaMemoryAdvise advice,
                          int device);
cudaError_t cudaMemPrefetchAsync(void const* pointer, size_t size_bytes, int device,
                                 cudaStream_t stream MOCKGPU_DEFAULT(0));
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer,
                                     size_t size_bytes MOCKGPU_DEFAULT(0),
                                     unsigned int flags MOCKGPU_DEFAULT(cudaMemAttachSingle));

/* Not supported: each says so by name and returns cudaErrorNotSupported. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long flags MOCKGPU_DEFAULT(0));
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer);
cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void* pointer);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);
cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 enum cudaMemAllocationHandleType type,
                                                 unsigned int flags);
cudaError_t cudaGetDriverEntryPoint(char const* name, void** function, unsigned long long flags,
                                    void* answer MOCKGPU_DEFAULT(0));

/* Launch from C code, where the kernel is asked for its parameters. C++ code launches through the
 * macro of the same name (mockgpu/launch.h). */
cudaError_t cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* configuration, void const* kernel,
                                void** arguments);

#ifdef __cplusplus
}

#include "mockgpu/launch.h"

extern "C++" {
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  struct cuda {
    using error = cudaError_t;
    using stream = cudaStream_t;
    static constexpr char const* launch_name = "cudaLaunchKernel";
    /* What a stream means in a launch. */
    static stream meant(stream given) { return given; }
  };
  struct cuda_per_thread : cuda {
    static stream meant(stream given) { return given != nullptr ? given : cudaStreamPerThread; }
  };
} // namespace )
}

/* How this code launches. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define MOCKGPU_CUDA cuda_per_thread
#else
#define MOCKGPU_CUDA cuda
#endif
#define cudaLaunchKernel(...)                                                                      \
  MOCKGPU_LAUNCH(MOCKGPU_CUDA, "cudaLaunchKernel", #__VA_ARGS__, __VA_ARGS__)
#define cudaLaunchCooperativeKernel(...)                                                           \
  MOCKGPU_LAUNCH_COOPERATIVE(MOCKGPU_CUDA, "cudaLaunchCooperativeKernel", #__VA_ARGS__, __VA_ARGS__)
#include "mockgpu/launch_cuda.h"
#endif
#endif
