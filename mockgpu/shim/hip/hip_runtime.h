#ifndef MOCKGPU_SHIM_HIP_RUNTIME_H
#define MOCKGPU_SHIM_HIP_RUNTIME_H
#pragma GCC system_header
/* HIP's C++ face: typed allocation, launches and what kernels use. */
#include "hip/hip_runtime_api.h"

#ifdef __cplusplus
#include "mockgpu/device.h"

/* What `<<<>>>` launches through. */
#ifndef MOCKGPU_CONFIGURATION
#define MOCKGPU_CONFIGURATION
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  using configuration = launch_configuration<MOCKGPU_HIP>;
}
#endif

#include "mockgpu/hip_templates.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(...)                                                                    \
  ::mockgpu_shim::launch_values<::mockgpu_shim::MOCKGPU_HIP>(                                              \
      ::mockgpu_shim::launch_site{"hipLaunchKernelGGL", #__VA_ARGS__, __FILE__, __LINE__},         \
      __VA_ARGS__)
#endif
#endif
