#ifndef MOCKGPU_SHIM_HIP_TEMPLATES_H
#define MOCKGPU_SHIM_HIP_TEMPLATES_H
#pragma GCC system_header
/* HIP's C++ forms of its calls: typed pointers, kernels and variables. Included by
 * hip/hip_runtime.h. */

/* Inlined always, so that reports find the program's own line. */
#define MOCKGPU_WRAPPER inline __attribute__((always_inline))

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* What the elements of an array consist of: a number, or the components of a vector type. */
  template <class T> constexpr T component_of(...);
  template <class T> constexpr decltype(T::x) component_of(decltype(T::x)*);
} // namespace )
template <class T> inline hipChannelFormatDesc hipCreateChannelDesc() {
  using part = decltype(::mockgpu_shim::component_of<T>(nullptr));
  hipChannelFormatKind const kind = static_cast<part>(0.5) != static_cast<part>(0)
                                        ? hipChannelFormatKindFloat
                                    : static_cast<part>(-1) < static_cast<part>(0)
                                        ? hipChannelFormatKindSigned
                                        : hipChannelFormatKindUnsigned;
  int const bits = 8 * static_cast<int>(sizeof(part));
  size_t const count = sizeof(T) / sizeof(part);
  return hipCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                              count > 3 ? bits : 0, kind);
}

template <class T>
MOCKGPU_WRAPPER hipError_t hipExtMallocWithFlags(T** pointer, size_t size_bytes,
                                                 unsigned int flags = hipDeviceMallocDefault) {
  return hipExtMallocWithFlags(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipMalloc(T** pointer, size_t size_bytes) {
  return hipMalloc(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipMallocHost(T** pointer, size_t size_bytes) {
  return hipMallocHost(reinterpret_cast<void**>(pointer), size_bytes);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipHostAlloc(T** pointer, size_t size_bytes, unsigned flags) {
  return hipHostAlloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipMallocAsync(T** pointer, size_t size_bytes, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void**>(pointer), size_bytes, stream);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMallocAsync(T** pointer, size_t size_bytes, hipMemPool_t pool, hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMallocFromPoolAsync(T** pointer, size_t size_bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size_bytes, pool, stream);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipHostMalloc(T** pointer, size_t size_bytes, unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void**>(pointer), size_bytes, flags);
}

template <class T>
MOCKGPU_WRAPPER hipError_t hipMallocPitch(T** pointer, size_t* pitch, size_t width_bytes, size_t rows) {
  return hipMallocPitch(reinterpret_cast<void**>(pointer), pitch, width_bytes, rows);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMallocManaged(T** pointer, size_t size_bytes, unsigned flags = hipMemAttachGlobal) {
  return hipMallocManaged(reinterpret_cast<void**>(pointer), size_bytes, flags);
}
MOCKGPU_WRAPPER hipError_t hipMallocAsync(void** pointer, size_t size_bytes, hipMemPool_t pool,
                                 hipStream_t stream) {
  return hipMallocFromPoolAsync(pointer, size_bytes, pool, stream);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipStreamAttachMemAsync(hipStream_t stream, T* pointer, size_t size_bytes = 0,
                                   unsigned flags = hipMemAttachSingle) {
  return hipStreamAttachMemAsync(stream, static_cast<void*>(pointer), size_bytes, flags);
}
MOCKGPU_WRAPPER hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, hipGraphNode_t*,
                                      char*, size_t) {
  return hipGraphInstantiateWithFlags(made, graph, 0);
}

/* Variables of the device. */
template <class T> MOCKGPU_WRAPPER hipError_t hipGetSymbolAddress(void** address, T const& symbol) {
  return hipGetSymbolAddress(address, static_cast<void const*>(&symbol));
}
template <class T> MOCKGPU_WRAPPER hipError_t hipGetSymbolSize(size_t* size_bytes, T const&) {
  if (size_bytes == nullptr) return hipErrorInvalidValue;
  *size_bytes = sizeof(T);
  return hipSuccess;
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMemcpyToSymbol(T const& symbol, void const* source, size_t size_bytes,
                             size_t offset_bytes = 0, hipMemcpyKind kind = hipMemcpyHostToDevice) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return hipErrorInvalidValue;
  return hipMemcpyToSymbol(static_cast<void const*>(&symbol), source, size_bytes, offset_bytes,
                           kind);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMemcpyFromSymbol(void* target, T const& symbol, size_t size_bytes,
                               size_t offset_bytes = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return hipErrorInvalidValue;
  return hipMemcpyFromSymbol(target, static_cast<void const*>(&symbol), size_bytes, offset_bytes,
                             kind);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipMemcpyToSymbolAsync(T const& symbol, void const* source, size_t size_bytes,
                                  size_t offset_bytes = 0,
                                  hipMemcpyKind kind = hipMemcpyHostToDevice,
                                  hipStream_t stream = nullptr) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return hipErrorInvalidValue;
  return hipMemcpyToSymbolAsync(static_cast<void const*>(&symbol), source, size_bytes, offset_bytes,
                                kind, stream);
}
template <class T>
hipError_t
hipMemcpyFromSymbolAsync(void* target, T const& symbol, size_t size_bytes, size_t offset_bytes = 0,
                         hipMemcpyKind kind = hipMemcpyDeviceToHost, hipStream_t stream = nullptr) {
  if (offset_bytes > sizeof(T) || size_bytes > sizeof(T) - offset_bytes)
    return hipErrorInvalidValue;
  return hipMemcpyFromSymbolAsync(target, static_cast<void const*>(&symbol), size_bytes,
                                  offset_bytes, kind, stream);
}

/* Kernels. */
template <class T> MOCKGPU_WRAPPER hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, T* kernel) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<void const*>(kernel));
}
template <class T> MOCKGPU_WRAPPER hipError_t hipFuncSetAttribute(T* kernel, hipFuncAttribute which, int value) {
  return hipFuncSetAttribute(reinterpret_cast<void const*>(kernel), which, value);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipFuncSetCacheConfig(T* kernel, hipFuncCache_t config) {
  return hipFuncSetCacheConfig(reinterpret_cast<void const*>(kernel), config);
}
template <class T> MOCKGPU_WRAPPER hipError_t hipFuncSetSharedMemConfig(T* kernel, hipSharedMemConfig config) {
  return hipFuncSetSharedMemConfig(reinterpret_cast<void const*>(kernel), config);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int threads,
                                                        size_t shared_bytes) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<void const*>(kernel),
                                                      threads, shared_bytes);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int threads,
                                                                 size_t shared_bytes,
                                                                 unsigned flags) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<void const*>(kernel), threads, shared_bytes, flags);
}
template <class T>
MOCKGPU_WRAPPER hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel,
                                             size_t shared_bytes = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(grid, block, reinterpret_cast<void const*>(kernel),
                                           shared_bytes, limit);
}

/* Boxes of memory. */
inline hipPitchedPtr make_hipPitchedPtr(void* pointer, size_t pitch, size_t width, size_t rows) {
  return {pointer, pitch, width, rows};
}
inline hipPos make_hipPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline hipExtent make_hipExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
#undef MOCKGPU_WRAPPER
#endif
