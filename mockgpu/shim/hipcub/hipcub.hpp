#ifndef MOCKGPU_SHIM_HIPCUB_HIPCUB_HPP
#define MOCKGPU_SHIM_HIPCUB_HIPCUB_HPP
#pragma GCC system_header
#include "hip/hip_runtime.h"
#define MOCKGPU_CUB hipcub
#define MOCKGPU_CUB_VENDOR hip
#define MOCKGPU_CUB_ERROR hipError_t
#define MOCKGPU_CUB_STREAM hipStream_t
#define MOCKGPU_CUB_WARP 64
#include "mockgpu/cub.h"
#endif
