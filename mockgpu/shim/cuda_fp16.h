#ifndef MOCKGPU_SHIM_CUDA_FP16_H
#define MOCKGPU_SHIM_CUDA_FP16_H
#pragma GCC system_header
/* Half precision, as both vendors name it. */
#ifdef __HIP_PLATFORM_AMD__
#include "hip/hip_runtime.h"
#else
#include "cuda_runtime.h"
#endif
#include "mockgpu/half.h"

typedef ::mockgpu_shim::small_float<::mockgpu_shim::half_format> __half;
typedef ::mockgpu_shim::pair_of<__half> __half2;
typedef __half half;
typedef __half2 half2;
MOCKGPU_HALF_FUNCTIONS(__half, __half2)
MOCKGPU_HALF_CONVERSIONS(half, __half)

inline float __half2float(__half a) { return a; }
inline __half __float2half(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline unsigned short __half_as_ushort(__half a) { return a.bits; }
inline __half __ushort_as_half(unsigned short bits) { return __builtin_bit_cast(__half, bits); }
inline short __half_as_short(__half a) { return static_cast<short>(a.bits); }
inline __half __short_as_half(short bits) { return __builtin_bit_cast(__half, bits); }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
#endif
