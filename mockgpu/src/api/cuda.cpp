#include "api/cuda_vendor.hpp"

#include "api/device_support.hpp"
#include "api/launch_by_address.hpp"
#include "api/memory_support.hpp"
#include "mockgpu/abi.h"

#define GPU_PROPERTIES cudaDeviceProp
#define GPU_FUNC_CACHE enum cudaFuncCache
#define GPU_LIMIT enum cudaLimit

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
#define DS(name) cuda##name##_ptds
#define SZ(name) cuda##name##_ptsz
#include "api/ordered_calls.inc"

#define STREAM_AND_PEER_CALLS(ds, sz, null_stream)                                                 \
  ENTRY_AS(cudaMemcpy3DPeer##ds, "copy", Memcpy3DPeer, (cudaMemcpy3DPeerParms const* what),        \
           mockgpu::copy_box(c, what, false, null_stream))                                         \
  ENTRY_AS(cudaMemcpy3DPeerAsync##sz, "copy", Memcpy3DPeerAsync,                                   \
           (cudaMemcpy3DPeerParms const* what, cudaStream_t stream),                               \
           mockgpu::copy_box(c, what, true, mockgpu::default_to(stream, null_stream)))             \
  ENTRY_AS(                                                                                        \
      cudaStreamGetId##sz, "call", StreamGetId, (cudaStream_t stream, unsigned long long* id),     \
      mockgpu::made(id) ? c.on().stream_id(c.site, mockgpu::default_to(stream, null_stream), *id)  \
                        : status::invalid_value)

extern "C" {

STREAM_AND_PEER_CALLS(, , nullptr)
STREAM_AND_PEER_CALLS(_ptds, _ptsz, mockgpu::per_thread_default)

ENTRY("call", PointerGetAttributes, (cudaPointerAttributes * out, void const* pointer),
      mockgpu::fill_pointer_attributes(c, out, pointer))
ENTRY("call", InitDevice, (int device, unsigned int device_flags, unsigned int flags),
      !c.on().is_device(device)                        ? status::invalid_device
      : flags > 1 || (flags == 0 && device_flags != 0) ? status::invalid_value
                                                       : status::success)
ENTRY("call", SetValidDevices, (int* devices, int count),
      devices == nullptr && count > 0 ? status::invalid_value : status::success)
ENTRY("call", OccupancyAvailableDynamicSMemPerBlock,
      (size_t * bytes, void const* kernel, int blocks, int threads),
      mockgpu::shared_for_blocks(c, bytes, kernel, blocks, threads))

// Hints that nothing here depends on, and those that change what a program may rely on.
ENTRY("call", StreamSetAttribute,
      (cudaStream_t stream, cudaLaunchAttributeID, cudaLaunchAttributeValue const* value),
      value == nullptr                    ? status::invalid_value
      : !c.on().is_stream(c.site, stream) ? status::invalid_handle
                                          : status::success)
REFUSED(StreamGetAttribute, (cudaStream_t, cudaLaunchAttributeID, cudaLaunchAttributeValue*))
ENTRY("call", StreamCopyAttributes, (cudaStream_t target, cudaStream_t source),
      c.on().is_stream(c.site, target) && c.on().is_stream(c.site, source) ? status::success
                                                                           : status::invalid_handle)
ENTRY("call", CtxResetPersistingL2Cache, (), status::success)
REFUSED(GetDriverEntryPoint, (char const*, void**, unsigned long long, void*))

cudaError_t cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return static_cast<cudaError_t>(mockgpu::launch_by_address("cudaLaunchKernel", kernel, grid,
                                                             block, arguments, shared_bytes, stream,
                                                             false, __builtin_return_address(0)));
}
cudaError_t cudaLaunchCooperativeKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return static_cast<cudaError_t>(
      mockgpu::launch_by_address("cudaLaunchCooperativeKernel", kernel, grid, block, arguments,
                                 shared_bytes, stream, true, __builtin_return_address(0)));
}
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* how, void const* kernel,
                                void** arguments) {
  if (how == nullptr) return cudaErrorInvalidValue;
  mockgpu_shim::launch_site site{"cudaLaunchKernelExC", nullptr, "C code", 0};
  if (!mockgpu_shim::accept_attributes(site, *how)) return cudaErrorNotSupported;
  return static_cast<cudaError_t>(mockgpu::launch_by_address(
      site.entry_point, kernel, how->mockgpu_grid_dim(), how->mockgpu_block_dim(), arguments,
      how->dynamicSmemBytes, how->stream, site.cooperative, __builtin_return_address(0)));
}

} // extern "C"
