#ifndef MOCKGPU_SHIM_CUB_CUB_CUH
#define MOCKGPU_SHIM_CUB_CUB_CUH
#pragma GCC system_header
#include "cuda_runtime.h"
#define MOCKGPU_CUB cub
#define MOCKGPU_CUB_VENDOR cuda
#define MOCKGPU_CUB_ERROR cudaError_t
#define MOCKGPU_CUB_STREAM cudaStream_t
#define MOCKGPU_CUB_WARP 32
#include "mockgpu/cub.h"
#endif
