#ifndef MOCKGPU_SHIM_CUDA_PROFILER_API_H
#define MOCKGPU_SHIM_CUDA_PROFILER_API_H
#pragma GCC system_header
/* There is no profiler: these calls do nothing. */
#include "mockgpu/types_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif
#endif
