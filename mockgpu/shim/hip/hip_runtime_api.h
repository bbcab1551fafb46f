#ifndef MOCKGPU_SHIM_HIP_RUNTIME_API_H
#define MOCKGPU_SHIM_HIP_RUNTIME_API_H
#pragma GCC system_header
/* The calls of HIP's runtime API that the mock has. Anything else does not link. */
#include "hip/hip_version.h"
#include "mockgpu/types_hip.h"

#ifdef HIP_API_PER_THREAD_DEFAULT_STREAM
#include "mockgpu/per_thread_hip.h"
#endif

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
/* `hipErrorInvalidValue` for a number that is no error's, and for null. */
hipError_t hipDrvGetErrorName(hipError_t error, char const** name);
hipError_t hipDrvGetErrorString(hipError_t error, char const** text);

/* Memory. */
hipError_t hipMalloc(void** pointer, size_t size_bytes);
hipError_t hipExtMallocWithFlags(void** pointer, size_t size_bytes, unsigned int flags);
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
/* The mask, of `words` words, is ignored: it says nothing of order. */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, unsigned int words,
                                        unsigned int const* mask);
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

/* Devices, continued. */
hipError_t hipGetDeviceFlags(unsigned int* flags);
hipError_t hipSetDeviceFlags(unsigned int flags);
hipError_t hipChooseDevice(int* device, hipDeviceProp_t const* wanted);
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit);
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetPCIBusId(char* text, int size_bytes, int device);
hipError_t hipDeviceGetByPCIBusId(int* device, char const* text);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int device, int peer);

/* Memory, continued. */
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width_bytes, size_t rows);
hipError_t hipMalloc3D(hipPitchedPtr* made, hipExtent extent);
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned int flags);
hipError_t hipHostGetFlags(unsigned int* flags, void* host);
hipError_t hipHostRegister(void* host, size_t size_bytes, unsigned int flags);
hipError_t hipHostUnregister(void* host);
hipError_t hipGetSymbolAddress(void** address, void const* symbol);
hipError_t hipGetSymbolSize(size_t* size_bytes, void const* symbol);
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, hipMemAccessDesc const* wanted, size_t count);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool,
                               hipMemLocation* location);

/* Copies and fills, continued. */
hipError_t hipMemcpy3D(hipMemcpy3DParms const* what);
hipError_t hipMemcpy3DAsync(hipMemcpy3DParms const* what, hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemcpyPeer(void* target, int target_device, void const* source, int source_device,
                         size_t size_bytes);
hipError_t hipMemcpyPeerAsync(void* target, int target_device, void const* source,
                              int source_device, size_t size_bytes,
                              hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemcpyToSymbol(void const* symbol, void const* source, size_t size_bytes,
                             size_t offset_bytes MOCKGPU_DEFAULT(0),
                             hipMemcpyKind kind MOCKGPU_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyFromSymbol(void* target, void const* symbol, size_t size_bytes,
                               size_t offset_bytes MOCKGPU_DEFAULT(0),
                               hipMemcpyKind kind MOCKGPU_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyToSymbolAsync(void const* symbol, void const* source, size_t size_bytes,
                                  size_t offset_bytes, hipMemcpyKind kind,
                                  hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemcpyFromSymbolAsync(void* target, void const* symbol, size_t size_bytes,
                                    size_t offset_bytes, hipMemcpyKind kind,
                                    hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemset3D(hipPitchedPtr target, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr target, int value, hipExtent extent,
                            hipStream_t stream MOCKGPU_DEFAULT(0));

/* Streams and events, continued. */
hipError_t hipStreamGetDevice(hipStream_t stream, int* device);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* answer);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream MOCKGPU_DEFAULT(0),
                                   unsigned int flags MOCKGPU_DEFAULT(0));

/* Kernels as objects. */
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, void const* kernel);
hipError_t hipFuncSetAttribute(void const* kernel, hipFuncAttribute which, int value);
hipError_t hipFuncSetCacheConfig(void const* kernel, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(void const* kernel, hipSharedMemConfig config);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel,
                                                        int threads, size_t shared_bytes);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* kernel,
                                                                 int threads, size_t shared_bytes,
                                                                 unsigned int flags);

/* Managed memory, judged like pinned memory. */
hipError_t hipMallocManaged(void** pointer, size_t size_bytes,
                            unsigned int flags MOCKGPU_DEFAULT(hipMemAttachGlobal));
hipError_t hipMemAdvise(void const* pointer, size_t size_bytes, hipMemoryAdvise advice, int device);
hipError_t hipMemPrefetchAsync(void const* pointer, size_t size_bytes, int device,
                               hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer,
                                   size_t size_bytes MOCKGPU_DEFAULT(0),
                                   unsigned int flags MOCKGPU_DEFAULT(hipMemAttachSingle));

/* Not supported: each says so by name and returns hipErrorNotSupported. */
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
hipError_t hipGraphCreate(hipGraph_t* graph, unsigned int flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t graph,
                                        unsigned long long flags MOCKGPU_DEFAULT(0));
hipError_t hipGraphExecDestroy(hipGraphExec_t graph);
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream);
hipError_t hipGraphUpload(hipGraphExec_t graph, hipStream_t stream);
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer);
hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_t handle, unsigned int flags);
hipError_t hipIpcCloseMemHandle(void* pointer);
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event);
hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle);
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind);
hipError_t hipMallocArray(hipArray_t* array, hipChannelFormatDesc const* format, size_t width,
                          size_t height MOCKGPU_DEFAULT(0), unsigned int flags MOCKGPU_DEFAULT(0));
hipError_t hipMalloc3DArray(hipArray_t* array, hipChannelFormatDesc const* format,
                            hipExtent extent, unsigned int flags);
hipError_t hipFreeArray(hipArray_t array);
hipError_t hipArrayCreate(hipArray_t* array, HIP_ARRAY_DESCRIPTOR const* what);
hipError_t hipArray3DCreate(hipArray_t* array, HIP_ARRAY3D_DESCRIPTOR const* what);
hipError_t hipArrayDestroy(hipArray_t array);
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* array, hipChannelFormatDesc const* format,
                                   hipExtent extent, unsigned int levels,
                                   unsigned int flags MOCKGPU_DEFAULT(0));
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array);
hipError_t hipGetMipmappedArrayLevel(hipArray_t* array, hipMipmappedArray_const_t of,
                                     unsigned int level);
hipError_t hipStreamWriteValue32(hipStream_t stream, void* pointer, unsigned int value,
                                 unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void* pointer, unsigned long value,
                                 unsigned int flags);
hipError_t hipStreamWaitValue32(hipStream_t stream, void* pointer, unsigned int value,
                                unsigned int flags, unsigned int mask MOCKGPU_DEFAULT(0xFFFFFFFF));
hipError_t hipStreamWaitValue64(hipStream_t stream, void* pointer, unsigned long value,
                                unsigned int flags,
                                unsigned long mask MOCKGPU_DEFAULT(0xFFFFFFFFFFFFFFFF));
hipError_t hipModuleLoad(hipModule_t* module, char const* file);
hipError_t hipModuleLoadData(hipModule_t* module, void const* image);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* size_bytes, hipModule_t module,
                              char const* name);
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, char const* name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y,
                                 unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                 unsigned int block_z, unsigned int shared_bytes,
                                 hipStream_t stream, void** arguments, void** extra);
hipError_t hipMemPoolExportToShareableHandle(void* handle, hipMemPool_t pool,
                                             hipMemAllocationHandleType type, unsigned int flags);
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* pool, void* handle,
                                               hipMemAllocationHandleType type, unsigned int flags);

/* What HIP has besides. */
hipError_t hipInit(unsigned int flags);
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);
hipError_t hipDeviceGetName(char* text, int size_bytes, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device);
hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device);
hipError_t hipExtGetLastError(void);
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);
hipError_t hipMemPtrGetInfo(void* pointer, size_t* size_bytes);
hipError_t hipMemcpyWithStream(void* target, void const* source, size_t size_bytes,
                               hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t target, void* source, size_t size_bytes);
hipError_t hipMemcpyDtoH(void* target, hipDeviceptr_t source, size_t size_bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t target, hipDeviceptr_t source, size_t size_bytes);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, void* source, size_t size_bytes,
                              hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void* target, hipDeviceptr_t source, size_t size_bytes,
                              hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t target, hipDeviceptr_t source, size_t size_bytes,
                              hipStream_t stream);
hipError_t hipMemsetD8(hipDeviceptr_t target, unsigned char value, size_t count);
hipError_t hipMemsetD16(hipDeviceptr_t target, unsigned short value, size_t count);
hipError_t hipMemsetD32(hipDeviceptr_t target, int value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t target, unsigned char value, size_t count,
                            hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemsetD16Async(hipDeviceptr_t target, unsigned short value, size_t count,
                             hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipMemsetD32Async(hipDeviceptr_t target, int value, size_t count,
                             hipStream_t stream MOCKGPU_DEFAULT(0));
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, void const* kernel,
                                             size_t shared_bytes, int limit);
hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, void const* kernel,
                                                      size_t shared_bytes, int limit,
                                                      unsigned int flags);

/* Launch from C code, where the kernel is asked for its parameters. C++ code launches through the
 * macro of the same name (mockgpu/launch.h). */
hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t shared_bytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned int shared_bytes, hipStream_t stream);

#ifdef __cplusplus
}

#include "mockgpu/launch.h"

extern "C++" {
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  struct hip {
    using error = hipError_t;
    using stream = hipStream_t;
    static constexpr char const* launch_name = "hipLaunchKernel";
    /* What a stream means in a launch. */
    static stream meant(stream given) { return given; }
  };
  struct hip_per_thread : hip {
    static stream meant(stream given) { return given != nullptr ? given : hipStreamPerThread; }
  };
} // namespace )
}

/* How this code launches. */
#ifdef HIP_API_PER_THREAD_DEFAULT_STREAM
#define MOCKGPU_HIP hip_per_thread
#else
#define MOCKGPU_HIP hip
#endif
#define hipLaunchKernel(...)                                                                       \
  MOCKGPU_LAUNCH(MOCKGPU_HIP, "hipLaunchKernel", #__VA_ARGS__, __VA_ARGS__)
#define hipLaunchCooperativeKernel(...)                                                            \
  MOCKGPU_LAUNCH_COOPERATIVE(MOCKGPU_HIP, "hipLaunchCooperativeKernel", #__VA_ARGS__, __VA_ARGS__)
#endif
#endif
