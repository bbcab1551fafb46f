#ifndef MOCKGPU_SHIM_HIP_FP16_H
#define MOCKGPU_SHIM_HIP_FP16_H
#pragma GCC system_header
#include "cuda_fp16.h"
#endif
