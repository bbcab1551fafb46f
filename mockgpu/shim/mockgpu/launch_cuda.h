#ifndef MOCKGPU_SHIM_LAUNCH_CUDA_H
#define MOCKGPU_SHIM_LAUNCH_CUDA_H
#pragma GCC system_header
/* CUDA's launches by a configuration with attributes. Included by cuda_runtime_api.h, in C++. */
#include <stdio.h>

#include "mockgpu/launch.h"

extern "C++" {
namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  /* Whether the attributes are such that the launch may be made. Those that only speak of speed say
   * yes; those that would change what a kernel may rely on are refused by name. */
  inline bool accept_attributes(launch_site & site, cudaLaunchConfig_t const& configuration) {
    for (unsigned i = 0; i < configuration.numAttrs; ++i) {
      cudaLaunchAttribute const& one = configuration.attrs[i];
      switch (one.id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
        break;
      case cudaLaunchAttributeCooperative:
        site.cooperative = one.val.cooperative != 0;
        break;
      default:
        fprintf(stderr, "mockgpu: error: %s:%u: launch attribute %d is not supported\n", site.file,
                site.line, int(one.id));
        return false;
      }
    }
    return true;
  }

  template <class Vendor, class Kernel>
  cudaError_t launch_configured(launch_site site, cudaLaunchConfig_t const* configuration,
                                Kernel kernel, void** arguments) {
    if (configuration == nullptr) return cudaErrorInvalidValue;
    if (!accept_attributes(site, *configuration)) return cudaErrorNotSupported;
    return launch<Vendor>(site, kernel, configuration->mockgpu_grid_dim(),
                          configuration->mockgpu_block_dim(), arguments,
                          configuration->dynamicSmemBytes, configuration->stream);
  }

  template <class Vendor, class... Parameters, class... Arguments>
  cudaError_t launch_configured_values(launch_site site, cudaLaunchConfig_t const* configuration,
                                       void (*kernel)(Parameters...), Arguments&&... arguments) {
    if (configuration == nullptr) return cudaErrorInvalidValue;
    if (!accept_attributes(site, *configuration)) return cudaErrorNotSupported;
    return launch_values<Vendor>(site, kernel, configuration->mockgpu_grid_dim(),
                                 configuration->mockgpu_block_dim(),
                                 configuration->dynamicSmemBytes, configuration->stream,
                                 static_cast<Arguments&&>(arguments)...);
  }

} // namespace )
}

#define cudaLaunchKernelExC(configuration, ...)                                                    \
  ::mockgpu_shim::launch_configured<::mockgpu_shim::MOCKGPU_CUDA>(                                 \
      ::mockgpu_shim::launch_site{"cudaLaunchKernelExC", #__VA_ARGS__, __FILE__, __LINE__},        \
      configuration, MOCKGPU_UNCAST(__VA_ARGS__))
#define cudaLaunchKernelEx(configuration, ...)                                                     \
  ::mockgpu_shim::launch_configured_values<::mockgpu_shim::MOCKGPU_CUDA>(                          \
      ::mockgpu_shim::launch_site{"cudaLaunchKernelEx", #__VA_ARGS__, __FILE__, __LINE__},         \
      configuration, __VA_ARGS__)
#endif
