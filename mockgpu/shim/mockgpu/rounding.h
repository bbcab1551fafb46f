#ifndef MOCKGPU_SHIM_ROUNDING_H
#define MOCKGPU_SHIM_ROUNDING_H
#pragma GCC system_header
/* Arithmetic and conversions that name how they round: to nearest even, down, up, towards zero. */
#include "mockgpu/sync.h"

#include <fenv.h>
#include <math.h>

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* What the compiler knows nothing about: it does not calculate with it ahead of time, nor before
   * a call that stands in front of it. */
  template <class T> MOCKGPU_INLINE T opaque(T value) {
    __asm__ volatile("" : "+g"(value));
    return value;
  }
  template <class T, class Function> MOCKGPU_INLINE T rounded(int mode, Function function) {
    int const before = fegetround();
    fesetround(mode);
    T const result = opaque(function());
    fesetround(before);
    return result;
  }
} // namespace )
#define MOCKGPU_DIRECTED(name, type, parameters, ...)                                              \
  inline type name##_rd parameters {                                                               \
    return ::mockgpu_shim::rounded<type>(FE_DOWNWARD, [=]() -> type { return __VA_ARGS__; });      \
  }                                                                                                \
  inline type name##_ru parameters {                                                               \
    return ::mockgpu_shim::rounded<type>(FE_UPWARD, [=]() -> type { return __VA_ARGS__; });        \
  }                                                                                                \
  inline type name##_rz parameters {                                                               \
    return ::mockgpu_shim::rounded<type>(FE_TOWARDZERO, [=]() -> type { return __VA_ARGS__; });    \
  }
#define MOCKGPU_ROUNDED(name, type, parameters, ...)                                               \
  inline type name##_rn parameters { return ::mockgpu_shim::opaque(__VA_ARGS__); }                 \
  MOCKGPU_DIRECTED(name, type, parameters, __VA_ARGS__)
MOCKGPU_ROUNDED(__fadd, float, (float a, float b), ::mockgpu_shim::opaque(a) + b)
MOCKGPU_ROUNDED(__fsub, float, (float a, float b), ::mockgpu_shim::opaque(a) - b)
MOCKGPU_ROUNDED(__fmul, float, (float a, float b), ::mockgpu_shim::opaque(a) * b)
MOCKGPU_ROUNDED(__fdiv, float, (float a, float b), ::mockgpu_shim::opaque(a) / b)
MOCKGPU_ROUNDED(__frcp, float, (float a), 1.0f / ::mockgpu_shim::opaque(a))
MOCKGPU_ROUNDED(__fsqrt, float, (float a), sqrtf(::mockgpu_shim::opaque(a)))
MOCKGPU_ROUNDED(__dadd, double, (double a, double b), ::mockgpu_shim::opaque(a) + b)
MOCKGPU_ROUNDED(__dsub, double, (double a, double b), ::mockgpu_shim::opaque(a) - b)
MOCKGPU_ROUNDED(__dmul, double, (double a, double b), ::mockgpu_shim::opaque(a) * b)
MOCKGPU_ROUNDED(__ddiv, double, (double a, double b), ::mockgpu_shim::opaque(a) / b)
MOCKGPU_ROUNDED(__drcp, double, (double a), 1.0 / ::mockgpu_shim::opaque(a))
MOCKGPU_ROUNDED(__dsqrt, double, (double a), sqrt(::mockgpu_shim::opaque(a)))
MOCKGPU_ROUNDED(__fmaf, float, (float a, float b, float c), fmaf(::mockgpu_shim::opaque(a), b, c))
MOCKGPU_ROUNDED(__fmaf_ieee, float, (float a, float b, float c),
                fmaf(::mockgpu_shim::opaque(a), b, c))
MOCKGPU_ROUNDED(__fma, double, (double a, double b, double c), fma(::mockgpu_shim::opaque(a), b, c))
#define MOCKGPU_TO_FLOATING(name, From, To)                                                        \
  MOCKGPU_ROUNDED(name, To, (From value), static_cast<To>(::mockgpu_shim::opaque(value)))
MOCKGPU_TO_FLOATING(__int2float, int, float)
MOCKGPU_TO_FLOATING(__uint2float, unsigned, float)
MOCKGPU_TO_FLOATING(__ll2float, long long, float)
MOCKGPU_TO_FLOATING(__ull2float, unsigned long long, float)
MOCKGPU_TO_FLOATING(__ll2double, long long, double)
MOCKGPU_TO_FLOATING(__ull2double, unsigned long long, double)
MOCKGPU_TO_FLOATING(__double2float, double, float)
#undef MOCKGPU_TO_FLOATING
#undef MOCKGPU_ROUNDED
#undef MOCKGPU_DIRECTED
MOCKGPU_INLINE double __int2double_rn(int value) { return value; }
MOCKGPU_INLINE double __uint2double_rn(unsigned value) { return value; }

/* To integers: out of range the nearest end. */
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  template <class To, class From> MOCKGPU_INLINE To to_integer(From rounded, From low, From high) {
    if (!(rounded == rounded)) return 0;
    if (rounded <= low) return static_cast<To>(low);
    if (rounded >= high)
      return static_cast<To>(~To{0}) < To{0} ? static_cast<To>(~(To{1} << (sizeof(To) * 8 - 1)))
                                             : static_cast<To>(~To{0});
    return static_cast<To>(rounded);
  }
} // namespace )
#define MOCKGPU_TO_INTEGER(name, From, To, low, high)                                              \
  MOCKGPU_INLINE To name##_rn(From x) {                                                            \
    return ::mockgpu_shim::to_integer<To, From>(nearbyint(x), low, high);                          \
  }                                                                                                \
  MOCKGPU_INLINE To name##_rd(From x) {                                                            \
    return ::mockgpu_shim::to_integer<To, From>(floor(x), low, high);                              \
  }                                                                                                \
  MOCKGPU_INLINE To name##_ru(From x) {                                                            \
    return ::mockgpu_shim::to_integer<To, From>(ceil(x), low, high);                               \
  }                                                                                                \
  MOCKGPU_INLINE To name##_rz(From x) {                                                            \
    return ::mockgpu_shim::to_integer<To, From>(trunc(x), low, high);                              \
  }
MOCKGPU_TO_INTEGER(__float2int, float, int, -0x1p31f, 0x1p31f)
MOCKGPU_TO_INTEGER(__float2uint, float, unsigned, 0.0f, 0x1p32f)
MOCKGPU_TO_INTEGER(__float2ll, float, long long, -0x1p63f, 0x1p63f)
MOCKGPU_TO_INTEGER(__float2ull, float, unsigned long long, 0.0f, 0x1p64f)
MOCKGPU_TO_INTEGER(__double2int, double, int, -0x1p31, 0x1p31)
MOCKGPU_TO_INTEGER(__double2uint, double, unsigned, 0.0, 0x1p32)
MOCKGPU_TO_INTEGER(__double2ll, double, long long, -0x1p63, 0x1p63)
MOCKGPU_TO_INTEGER(__double2ull, double, unsigned long long, 0.0, 0x1p64)
#undef MOCKGPU_TO_INTEGER
#endif
