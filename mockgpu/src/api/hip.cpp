#include "api/hip_vendor.hpp"

#include "api/device_support.hpp"
#include "api/launch_by_address.hpp"
#include "api/memory_support.hpp"
#include "mockgpu/abi.h"

#define GPU_PROPERTIES hipDeviceProp_t
#define GPU_FUNC_CACHE hipFuncCache_t
#define GPU_LIMIT hipLimit_t

#include "api/device_calls.inc"
#include "api/function_calls.inc"
#include "api/memory_calls.inc"
#include "api/stream_calls.inc"
#include "api/unsupported_calls.inc"

#define NULL_STREAM nullptr
#define DS(name) GPU(name)
#define SZ(name) GPU(name)
#include "api/ordered_calls.inc"

// The same for code that is compiled with per-thread default streams.
#define NULL_STREAM mockgpu::per_thread_default
#define DS(name) hip##name##_spt
#define SZ(name) hip##name##_spt
#include "api/ordered_calls.inc"

namespace {

mockgpu::fill_request elements(void* target, unsigned value, unsigned element_bytes,
                               std::size_t count, bool async, void* stream) {
  return {.target = target,
          .value = value,
          .size = {count * element_bytes, 1, 1},
          .async = async,
          .stream = stream,
          .element_bytes = element_bytes};
}

} // namespace

extern "C" {

ENTRY("call", PointerGetAttributes, (hipPointerAttribute_t * out, void const* pointer),
      mockgpu::fill_pointer_attributes(c, out, pointer))
ENTRY("alloc", HostMalloc, (void** pointer, size_t size_bytes, unsigned int flags),
      mockgpu::allocate_pinned(c, pointer, size_bytes, flags))
ENTRY("free", HostFree, (void* pointer), c.on().release_pinned(c.site, pointer))
ENTRY("call", MemPtrGetInfo, (void* pointer, size_t* size_bytes),
      mockgpu::block_size(c, pointer, size_bytes))

// What HIP has from the driver's interface.
ENTRY("call", Init, (unsigned int flags), flags != 0 ? status::invalid_value : status::success)
ENTRY("call", DeviceGet, (hipDevice_t * device, int ordinal),
      c.on().is_device(ordinal) ? mockgpu::set(device, ordinal) : status::invalid_device)
ENTRY("call", DeviceGetName, (char* text, int size_bytes, hipDevice_t device),
      mockgpu::device_name(c, text, size_bytes, device))
ENTRY("call", DeviceTotalMem, (size_t * bytes, hipDevice_t device),
      c.on().is_device(device) ? mockgpu::set(bytes, mockgpu::memory::capacity_bytes)
                               : status::invalid_device)
ENTRY("call", DeviceComputeCapability, (int* major, int* minor, hipDevice_t device),
      !c.on().is_device(device)
          ? status::invalid_device
          : mockgpu::first_failure(mockgpu::set(major, c.on().rules().device.major),
                                   mockgpu::set(minor, c.on().rules().device.minor)))
ENTRY("copy", MemcpyHtoD, (hipDeviceptr_t target, void* source, size_t size_bytes),
      c.on().copy(c.site, mockgpu::linear(target, source, size_bytes, hipMemcpyHostToDevice, false,
                                          nullptr)))
ENTRY("copy", MemcpyDtoH, (void* target, hipDeviceptr_t source, size_t size_bytes),
      c.on().copy(c.site, mockgpu::linear(target, source, size_bytes, hipMemcpyDeviceToHost, false,
                                          nullptr)))
ENTRY("copy", MemcpyDtoD, (hipDeviceptr_t target, hipDeviceptr_t source, size_t size_bytes),
      c.on().copy(c.site, mockgpu::linear(target, source, size_bytes, hipMemcpyDeviceToDevice,
                                          false, nullptr)))
ENTRY("copy", MemcpyHtoDAsync,
      (hipDeviceptr_t target, void* source, size_t size_bytes, hipStream_t stream),
      c.on().copy(c.site,
                  mockgpu::linear(target, source, size_bytes, hipMemcpyHostToDevice, true, stream)))
ENTRY("copy", MemcpyDtoHAsync,
      (void* target, hipDeviceptr_t source, size_t size_bytes, hipStream_t stream),
      c.on().copy(c.site,
                  mockgpu::linear(target, source, size_bytes, hipMemcpyDeviceToHost, true, stream)))
ENTRY("copy", MemcpyDtoDAsync,
      (hipDeviceptr_t target, hipDeviceptr_t source, size_t size_bytes, hipStream_t stream),
      c.on().copy(c.site, mockgpu::linear(target, source, size_bytes, hipMemcpyDeviceToDevice, true,
                                          stream)))
ENTRY("copy", MemcpyWithStream,
      (void* target, void const* source, size_t size_bytes, hipMemcpyKind kind, hipStream_t stream),
      c.on().copy(c.site, mockgpu::linear(target, source, size_bytes, kind, false, stream)))
ENTRY("memset", MemsetD8, (hipDeviceptr_t target, unsigned char value, size_t count),
      c.on().fill(c.site, elements(target, value, 1, count, false, nullptr)))
ENTRY("memset", MemsetD16, (hipDeviceptr_t target, unsigned short value, size_t count),
      c.on().fill(c.site, elements(target, value, 2, count, false, nullptr)))
ENTRY("memset", MemsetD32, (hipDeviceptr_t target, int value, size_t count),
      c.on().fill(c.site, elements(target, unsigned(value), 4, count, false, nullptr)))
ENTRY("memset", MemsetD8Async,
      (hipDeviceptr_t target, unsigned char value, size_t count, hipStream_t stream),
      c.on().fill(c.site, elements(target, value, 1, count, true, stream)))
ENTRY("memset", MemsetD16Async,
      (hipDeviceptr_t target, unsigned short value, size_t count, hipStream_t stream),
      c.on().fill(c.site, elements(target, value, 2, count, true, stream)))
ENTRY("memset", MemsetD32Async,
      (hipDeviceptr_t target, int value, size_t count, hipStream_t stream),
      c.on().fill(c.site, elements(target, unsigned(value), 4, count, true, stream)))

ENTRY("call", OccupancyMaxPotentialBlockSize,
      (int* grid, int* block, void const* kernel, size_t shared_bytes, int limit),
      mockgpu::best_block(c, grid, block, kernel, shared_bytes, limit))
ENTRY("call", OccupancyMaxPotentialBlockSizeWithFlags,
      (int* grid, int* block, void const* kernel, size_t shared_bytes, int limit,
       unsigned int flags),
      flags > 1 ? status::invalid_value
                : mockgpu::best_block(c, grid, block, kernel, shared_bytes, limit))

hipError_t hipExtGetLastError(void) { return hipGetLastError(); }

hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t shared_bytes, hipStream_t stream) {
  return static_cast<hipError_t>(mockgpu::launch_by_address("hipLaunchKernel", kernel, grid, block,
                                                            arguments, shared_bytes, stream, false,
                                                            __builtin_return_address(0)));
}
hipError_t hipLaunchCooperativeKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned int shared_bytes, hipStream_t stream) {
  return static_cast<hipError_t>(
      mockgpu::launch_by_address("hipLaunchCooperativeKernel", kernel, grid, block, arguments,
                                 shared_bytes, stream, true, __builtin_return_address(0)));
}

ENTRY("call", ExtStreamCreateWithCUMask,
      (hipStream_t * stream, unsigned int words, unsigned int const* mask),
      words == 0 || mask == nullptr
          ? status::invalid_value
          : mockgpu::create_stream(c, reinterpret_cast<void**>(stream), 0, 0))

// Caching makes no difference here. Signal memory serves the calls that follow, and nothing else.
ENTRY("alloc", ExtMallocWithFlags, (void** pointer, size_t size_bytes, unsigned int flags),
      flags == hipMallocSignalMemory ? mockgpu::refuse(c)
      : !mockgpu::made(pointer) || flags > hipDeviceMallocUncached
          ? status::invalid_value
          : c.on().allocate(c.site, pointer, size_bytes))

// Orders by values in memory.
REFUSED(StreamWriteValue32, (hipStream_t, void*, unsigned int, unsigned int))
REFUSED(StreamWriteValue64, (hipStream_t, void*, unsigned long, unsigned int))
REFUSED(StreamWaitValue32, (hipStream_t, void*, unsigned int, unsigned int, unsigned int))
REFUSED(StreamWaitValue64, (hipStream_t, void*, unsigned long, unsigned int, unsigned long))

// Arrays, which textures and surfaces are made of.
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
REFUSED(MallocArray, (hipArray_t*, hipChannelFormatDesc const*, size_t, size_t, unsigned int))
REFUSED(Malloc3DArray, (hipArray_t*, hipChannelFormatDesc const*, hipExtent, unsigned int))
REFUSED(FreeArray, (hipArray_t))
REFUSED(ArrayCreate, (hipArray_t*, HIP_ARRAY_DESCRIPTOR const*))
REFUSED(Array3DCreate, (hipArray_t*, HIP_ARRAY3D_DESCRIPTOR const*))
REFUSED(ArrayDestroy, (hipArray_t))
REFUSED(MallocMipmappedArray,
        (hipMipmappedArray_t*, hipChannelFormatDesc const*, hipExtent, unsigned int, unsigned int))
REFUSED(FreeMipmappedArray, (hipMipmappedArray_t))
REFUSED(GetMipmappedArrayLevel, (hipArray_t*, hipMipmappedArray_const_t, unsigned int))

// Code objects: the mock has no compiler for them.
REFUSED(ModuleLoad, (hipModule_t*, char const*))
REFUSED(ModuleLoadData, (hipModule_t*, void const*))
REFUSED(ModuleUnload, (hipModule_t))
REFUSED(ModuleGetFunction, (hipFunction_t*, hipModule_t, char const*))
REFUSED(ModuleGetGlobal, (hipDeviceptr_t*, size_t*, hipModule_t, char const*))
REFUSED(ModuleLaunchKernel,
        (hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
         hipStream_t, void**, void**))

} // extern "C"
