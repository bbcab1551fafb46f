#ifndef MOCKGPU_SHIM_CUDA_RUNTIME_H
#define MOCKGPU_SHIM_CUDA_RUNTIME_H
/* Guards of the toolkit's own headers, which programs ask for: "have I the runtime and its types?" */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#pragma GCC system_header
/* CUDA's C++ face: typed allocation, launches and what kernels use. */
#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include "mockgpu/device.h"

/* What `<<<>>>` launches through. */
#ifndef MOCKGPU_CONFIGURATION
#define MOCKGPU_CONFIGURATION
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  using configuration = launch_configuration<MOCKGPU_CUDA>;
}
#endif

#include "mockgpu/cuda_templates.h"
#endif
#endif
