#ifndef MOCKGPU_SHIM_CUDA_TEMPLATES_H
#define MOCKGPU_SHIM_CUDA_TEMPLATES_H
#pragma GCC system_header
/* CUDA's C++ forms of its calls: typed pointers, kernels and variables. Included by cuda_runtime.h.
 */

/* Inlined always, so that reports find the program's own line. */
#define MOCKGPU_WRAPPER inline __attribute__((always_inline))

template <class T> MOCKGPU_WRAPPER cudaError_t cudaMalloc(T** pointer, size_t size_bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocHost(T** pointer, size_t size_bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
MOCKGPU_WRAPPER cudaError_t cudaMallocHost(void** pointer, size_t size_bytes, unsigned flags) {
  return cudaHostAlloc(pointer, size_bytes, flags);
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaHostAlloc(T** pointer, size_t size_bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocAsync(T** pointer, size_t size_bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), size_bytes, stream);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocAsync(T** pointer, size_t size_bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
MOCKGPU_WRAPPER cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width_bytes, size_t rows) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width_bytes, rows);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMallocManaged(T** pointer, size_t size_bytes,
                              unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
MOCKGPU_WRAPPER cudaError_t cudaMallocAsync(void** pointer, size_t size_bytes, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size_bytes, pool, stream);
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t size_bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), size_bytes, flags);
}
MOCKGPU_WRAPPER cudaError_t cudaMemPrefetchAsync(void const* pointer, size_t size_bytes,
                                        cudaMemLocation where, unsigned,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, size_bytes, where.id, stream);
}
MOCKGPU_WRAPPER cudaError_t cudaMemAdvise(void const* pointer, size_t size_bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation where) {
  return cudaMemAdvise(pointer, size_bytes, advice, where.id);
}
MOCKGPU_WRAPPER cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(made, graph, flags);
}
MOCKGPU_WRAPPER cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t*,
                                        char*, size_t) {
  return cudaGraphInstantiateWithFlags(made, graph, 0);
}

/* Variables of the device. */
template <class T> MOCKGPU_WRAPPER cudaError_t cudaGetSymbolAddress(void** address, T const& symbol) {
  return cudaGetSymbolAddress(address, static_cast<void const*>(&symbol));
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaGetSymbolSize(size_t* size_bytes, T const&) {
  if (size_bytes == nullptr) return cudaErrorInvalidValue;
  *size_bytes = sizeof(T);
  return cudaSuccess;
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMemcpyToSymbol(T const& symbol, void const* source, size_t size_bytes,
                               size_t offset_bytes = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return cudaErrorInvalidValue;
  return cudaMemcpyToSymbol(static_cast<void const*>(&symbol), source, size_bytes, offset_bytes,
                            kind);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMemcpyFromSymbol(void* target, T const& symbol, size_t size_bytes,
                                 size_t offset_bytes = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return cudaErrorInvalidValue;
  return cudaMemcpyFromSymbol(target, static_cast<void const*>(&symbol), size_bytes, offset_bytes,
                              kind);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMemcpyToSymbolAsync(T const& symbol, void const* source, size_t size_bytes,
                                    size_t offset_bytes = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return cudaErrorInvalidValue;
  return cudaMemcpyToSymbolAsync(static_cast<void const*>(&symbol), source, size_bytes,
                                 offset_bytes, kind, stream);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaMemcpyFromSymbolAsync(void* target, T const& symbol, size_t size_bytes,
                                      size_t offset_bytes = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return cudaErrorInvalidValue;
  return cudaMemcpyFromSymbolAsync(target, static_cast<void const*>(&symbol), size_bytes,
                                   offset_bytes, kind, stream);
}

/* Kernels. */
template <class T> MOCKGPU_WRAPPER cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<void const*>(kernel));
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute which, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel), which, value);
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<void const*>(kernel), config);
}
template <class T> MOCKGPU_WRAPPER cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<void const*>(kernel), config);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int threads,
                                                          size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<void const*>(kernel), threads, shared_bytes);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<void const*>(kernel), threads, shared_bytes, flags);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* kernel, int blocks,
                                                      int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<void const*>(kernel),
                                                   blocks, threads);
}

/* The block size with the most resident threads. \param shared_bytes of a block, by its threads. */
template <class SharedBytes, class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel,
                                                           SharedBytes shared_bytes,
                                                           int limit = 0) {
  if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
  int device = 0, processors = 0, most = 0, warp = 0;
  cudaError_t result = cudaGetDevice(&device);
  if (result == cudaSuccess)
    result = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (result == cudaSuccess)
    result = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
  if (result == cudaSuccess) result = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (result != cudaSuccess) return result;
  if (limit > 0 && limit < most) most = limit;
  int best = 0;
  for (int threads = most / warp * warp; threads > 0; threads -= warp) {
    int blocks = 0;
    result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, reinterpret_cast<void const*>(kernel), threads, size_t(shared_bytes(threads)));
    if (result != cudaSuccess) return result;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel,
                                               size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}
template <class T>
MOCKGPU_WRAPPER cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T kernel,
                                                        size_t shared_bytes = 0, int limit = 0,
                                                        unsigned = cudaOccupancyDefault) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit);
}

/* Boxes of memory. */
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t rows) {
  return {pointer, pitch, width, rows};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
#undef MOCKGPU_WRAPPER
#endif
