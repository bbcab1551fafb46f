#ifndef MOCKGPU_SHIM_DEVICE_MATH_H
#define MOCKGPU_SHIM_DEVICE_MATH_H
#pragma GCC system_header
/* Mathematics that devices have and <math.h> lacks. Approximate forms are computed exactly: a
 * program that holds within the vendors' error bounds holds here. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mockgpu/sync.h"

/* glibc declares these names without defining them. */
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
#define __fdividef(x, y) ((x) / (y))

MOCKGPU_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
MOCKGPU_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
MOCKGPU_INLINE float rsqrt(float x) { return 1.0f / sqrtf(x); }
MOCKGPU_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
MOCKGPU_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
MOCKGPU_INLINE float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
MOCKGPU_INLINE float __saturatef(float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }
MOCKGPU_INLINE float fdividef(float x, float y) { return x / y; }
MOCKGPU_INLINE double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
MOCKGPU_INLINE double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
MOCKGPU_INLINE float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
MOCKGPU_INLINE float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
MOCKGPU_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
MOCKGPU_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
MOCKGPU_INLINE float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
MOCKGPU_INLINE double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
MOCKGPU_INLINE double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
MOCKGPU_INLINE float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
MOCKGPU_INLINE double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
MOCKGPU_INLINE float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
MOCKGPU_INLINE double erfcx(double x) { return exp(x * x) * erfc(x); }

/* Rounding modes: to nearest is the host's; the others differ from it in the last bit only. */
#define MOCKGPU_ROUNDED(name, type, parameters, ...)                                               \
  MOCKGPU_INLINE type name##_rn parameters { return __VA_ARGS__; }
MOCKGPU_ROUNDED(__fadd, float, (float a, float b), a + b)
MOCKGPU_ROUNDED(__fsub, float, (float a, float b), a - b)
MOCKGPU_ROUNDED(__fmul, float, (float a, float b), a* b)
MOCKGPU_ROUNDED(__fdiv, float, (float a, float b), a / b)
MOCKGPU_ROUNDED(__frcp, float, (float a), 1.0f / a)
MOCKGPU_ROUNDED(__fsqrt, float, (float a), sqrtf(a))
MOCKGPU_ROUNDED(__fmaf, float, (float a, float b, float c), fmaf(a, b, c))
MOCKGPU_ROUNDED(__dadd, double, (double a, double b), a + b)
MOCKGPU_ROUNDED(__dsub, double, (double a, double b), a - b)
MOCKGPU_ROUNDED(__dmul, double, (double a, double b), a* b)
MOCKGPU_ROUNDED(__ddiv, double, (double a, double b), a / b)
MOCKGPU_ROUNDED(__drcp, double, (double a), 1.0 / a)
MOCKGPU_ROUNDED(__dsqrt, double, (double a), sqrt(a))
MOCKGPU_ROUNDED(__fma, double, (double a, double b, double c), fma(a, b, c))
#undef MOCKGPU_ROUNDED
/* Down, up and towards zero, from the result in double precision. */
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  MOCKGPU_INLINE float round_down(double x) {
    float const near = static_cast<float>(x);
    return static_cast<double>(near) > x ? nextafterf(near, -INFINITY) : near;
  }
  MOCKGPU_INLINE float round_up(double x) {
    float const near = static_cast<float>(x);
    return static_cast<double>(near) < x ? nextafterf(near, INFINITY) : near;
  }
  /* a * b + c as a double of odd fraction, unless one has the value: rounded again to a shorter
   * format, it gives what one rounding would. */
  MOCKGPU_INLINE double fma_to_odd(float a, float b, float c) {
    double const product = static_cast<double>(a) * b; /* exact */
    double const sum = product + c;
    double const part = sum - product;
    double const error = (product - (sum - part)) + (c - part);
    if (!(error != 0) || error != error) return sum;
    unsigned long long const bits = __builtin_bit_cast(unsigned long long, sum);
    if ((bits & 1) != 0) return sum;
    return __builtin_bit_cast(double, (error > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
} // namespace )
#define MOCKGPU_DIRECTED(name, parameters, ...)                                                    \
  MOCKGPU_INLINE float name##_rd parameters { return ::mockgpu_shim::round_down(__VA_ARGS__); }    \
  MOCKGPU_INLINE float name##_ru parameters { return ::mockgpu_shim::round_up(__VA_ARGS__); }      \
  MOCKGPU_INLINE float name##_rz parameters {                                                      \
    double const exact = __VA_ARGS__;                                                              \
    return exact < 0 ? ::mockgpu_shim::round_up(exact) : ::mockgpu_shim::round_down(exact);        \
  }
MOCKGPU_DIRECTED(__fadd, (float a, float b), ::mockgpu_shim::fma_to_odd(a, 1.0f, b))
MOCKGPU_DIRECTED(__fsub, (float a, float b), ::mockgpu_shim::fma_to_odd(a, 1.0f, -b))
MOCKGPU_DIRECTED(__fmaf, (float a, float b, float c), ::mockgpu_shim::fma_to_odd(a, b, c))
MOCKGPU_DIRECTED(__fmul, (float a, float b), static_cast<double>(a) * static_cast<double>(b))
MOCKGPU_DIRECTED(__fdiv, (float a, float b), static_cast<double>(a) / static_cast<double>(b))
MOCKGPU_DIRECTED(__fsqrt, (float a), sqrt(static_cast<double>(a)))
MOCKGPU_DIRECTED(__double2float, (double a), a)
#undef MOCKGPU_DIRECTED

/* Conversions: to nearest even, down, up, towards zero; out of range the nearest end. */
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
MOCKGPU_INLINE float __int2float_rn(int x) { return static_cast<float>(x); }
MOCKGPU_INLINE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
MOCKGPU_INLINE float __ll2float_rn(long long x) { return static_cast<float>(x); }
MOCKGPU_INLINE float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
MOCKGPU_INLINE double __int2double_rn(int x) { return x; }
MOCKGPU_INLINE double __uint2double_rn(unsigned x) { return x; }
MOCKGPU_INLINE double __ll2double_rn(long long x) { return static_cast<double>(x); }
MOCKGPU_INLINE double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
MOCKGPU_INLINE float __double2float_rn(double x) { return static_cast<float>(x); }
#define MOCKGPU_TO_FLOAT(name, From)                                                               \
  MOCKGPU_INLINE float name##_rd(From x) { return ::mockgpu_shim::round_down(x); }                 \
  MOCKGPU_INLINE float name##_ru(From x) { return ::mockgpu_shim::round_up(x); }                   \
  MOCKGPU_INLINE float name##_rz(From x) {                                                         \
    return x < 0 ? ::mockgpu_shim::round_up(x) : ::mockgpu_shim::round_down(x);                    \
  }
MOCKGPU_TO_FLOAT(__int2float, int)
MOCKGPU_TO_FLOAT(__uint2float, unsigned)
#undef MOCKGPU_TO_FLOAT

/* Bits. */
MOCKGPU_INLINE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
MOCKGPU_INLINE unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
MOCKGPU_INLINE float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
MOCKGPU_INLINE float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
MOCKGPU_INLINE long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
MOCKGPU_INLINE double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}
MOCKGPU_INLINE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
MOCKGPU_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
MOCKGPU_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
MOCKGPU_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
MOCKGPU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
MOCKGPU_INLINE int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
MOCKGPU_INLINE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
MOCKGPU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
MOCKGPU_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
MOCKGPU_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
#ifdef __HIP_PLATFORM_AMD__
/* Bit fields: at most the bits that there are. */
MOCKGPU_INLINE unsigned __bitextract_u32(unsigned x, unsigned first, unsigned count) {
  first &= 31;
  count &= 31;
  return count == 0 ? 0 : x << (32 - (first + count > 32 ? 32 : first + count)) >> (32 - count);
}
MOCKGPU_INLINE unsigned __bitinsert_u32(unsigned x, unsigned from, unsigned first,
                                        unsigned count) {
  first &= 31;
  count &= 31;
  unsigned const field = ((1u << count) - 1) << first;
  return (x & ~field) | (from << first & field);
}
#endif
MOCKGPU_INLINE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
MOCKGPU_INLINE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  unsigned long long const bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  return result;
}
MOCKGPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(
      ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
MOCKGPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >>
                               (shift & 31));
}
MOCKGPU_INLINE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) *
                          static_cast<unsigned>((b << 8) >> 8));
}
MOCKGPU_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
MOCKGPU_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
MOCKGPU_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
MOCKGPU_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
MOCKGPU_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
MOCKGPU_INLINE unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                    : static_cast<unsigned>(b) - static_cast<unsigned>(a));
}
MOCKGPU_INLINE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
MOCKGPU_INLINE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}

/* Loads and stores with a hint for caches, which do not matter here. */
template <class T> MOCKGPU_INLINE T __ldg(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldcg(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldca(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldcs(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldcv(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE void __stcg(T* address, T value) { *address = value; }
template <class T> MOCKGPU_INLINE void __stcs(T* address, T value) { *address = value; }
template <class T> MOCKGPU_INLINE void __stwt(T* address, T value) { *address = value; }
template <class T> MOCKGPU_INLINE void __stwb(T* address, T value) { *address = value; }

/* The vendors' overloads in the global namespace. */
#define MOCKGPU_MIN_MAX(type)                                                                      \
  inline type min(type a, type b) { return b < a ? b : a; }                                        \
  inline type max(type a, type b) { return a < b ? b : a; }
MOCKGPU_MIN_MAX(int)
MOCKGPU_MIN_MAX(unsigned)
MOCKGPU_MIN_MAX(long)
MOCKGPU_MIN_MAX(unsigned long)
MOCKGPU_MIN_MAX(long long)
MOCKGPU_MIN_MAX(unsigned long long)
#undef MOCKGPU_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
/* Mixed signs count as unsigned. */
#define MOCKGPU_MIXED(signed_type, unsigned_type)                                                  \
  inline unsigned_type min(unsigned_type a, signed_type b) {                                       \
    return min(a, static_cast<unsigned_type>(b));                                                  \
  }                                                                                                \
  inline unsigned_type min(signed_type a, unsigned_type b) {                                       \
    return min(static_cast<unsigned_type>(a), b);                                                  \
  }                                                                                                \
  inline unsigned_type max(unsigned_type a, signed_type b) {                                       \
    return max(a, static_cast<unsigned_type>(b));                                                  \
  }                                                                                                \
  inline unsigned_type max(signed_type a, unsigned_type b) {                                       \
    return max(static_cast<unsigned_type>(a), b);                                                  \
  }
MOCKGPU_MIXED(int, unsigned)
MOCKGPU_MIXED(long, unsigned long)
MOCKGPU_MIXED(long long, unsigned long long)
#undef MOCKGPU_MIXED
inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
#endif
