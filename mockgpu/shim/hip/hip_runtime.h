#ifndef MOCKGPU_SHIM_HIP_RUNTIME_H
#define MOCKGPU_SHIM_HIP_RUNTIME_H
#pragma GCC system_header
/* HIP's C++ face: typed allocation, launches and what kernels use. */
#include "hip/hip_runtime_api.h"

#ifdef __cplusplus
#include "mockgpu/device.h"
#ifdef __HIP_PLATFORM_AMD__
#include "mockgpu/amdgcn.h"
#endif

/* What `<<<>>>` launches through. */
#ifndef MOCKGPU_CONFIGURATION
#define MOCKGPU_CONFIGURATION
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  using configuration = launch_configuration<MOCKGPU_HIP>;
}
#endif

#include "mockgpu/hip_templates.h"

/* What the drivers make of `extern __shared__ type name[];`. */
#define HIP_DYNAMIC_SHARED(type, name)                                                             \
  type* const name = static_cast<type*>(::mockgpu_shim::dynamic_shared());
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(variable) variable
#ifdef MOCKGPU_REWRITES
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...)                         \
  ((kernel)<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__))
#else
#define hipLaunchKernelGGL(...)                                                                    \
  ::mockgpu_shim::launch_values<::mockgpu_shim::MOCKGPU_HIP>(                                              \
      ::mockgpu_shim::launch_site{"hipLaunchKernelGGL", #__VA_ARGS__, __FILE__, __LINE__},         \
      __VA_ARGS__)
#endif

/* The indices' older names. */
#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)
#endif
#endif
