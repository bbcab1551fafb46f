#ifndef MOCKGPU_SHIM_CUDA_BF16_H
#define MOCKGPU_SHIM_CUDA_BF16_H
#pragma GCC system_header
/* bfloat16. */
#include "cuda_runtime.h"
#include "mockgpu/half.h"

typedef ::mockgpu_shim::small_float<::mockgpu_shim::bfloat16_format> __nv_bfloat16;
typedef ::mockgpu_shim::pair_of<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
MOCKGPU_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)

inline float __bfloat162float(__nv_bfloat16 a) { return a; }
inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
#endif
