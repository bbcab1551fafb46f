#ifndef MOCKGPU_SHIM_DEVICE_MATH_H
#define MOCKGPU_SHIM_DEVICE_MATH_H
#pragma GCC system_header
/* Mathematics that devices have and <math.h> lacks. Approximate forms are computed exactly: a
 * program that holds within the vendors' error bounds holds here. */
#include <math.h>

#include "mockgpu/bits.h"
#include "mockgpu/rounding.h"
#include "mockgpu/simd_math.h"
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
MOCKGPU_INLINE double fdivide(double x, double y) { return x / y; }
MOCKGPU_INLINE float fdivide(float x, float y) { return x / y; }
MOCKGPU_INLINE double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
MOCKGPU_INLINE double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
MOCKGPU_INLINE float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
MOCKGPU_INLINE float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
MOCKGPU_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
MOCKGPU_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
MOCKGPU_INLINE float norm3df(float a, float b, float c) { return hypotf(hypotf(a, b), c); }
MOCKGPU_INLINE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
MOCKGPU_INLINE double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
MOCKGPU_INLINE float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
MOCKGPU_INLINE double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
MOCKGPU_INLINE float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
/* Past 25 the factors leave the range of numbers, and the first terms of the series are exact. */
MOCKGPU_INLINE double erfcx(double x) {
  if (!(x > 25.0)) return exp(x * x) * erfc(x);
  double const y = 1.0 / x / x;
  return 0.56418958354775628695 / x * (1.0 - y / 2 * (1.0 - y * 1.5)); /* 1 / sqrt(pi) */
}
MOCKGPU_INLINE float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
/* Through hypot, whose squares leave no range. */
MOCKGPU_INLINE float norm4df(float a, float b, float c, float d) {
  return hypotf(hypotf(a, b), hypotf(c, d));
}
MOCKGPU_INLINE double norm4d(double a, double b, double c, double d) {
  return hypot(hypot(a, b), hypot(c, d));
}
MOCKGPU_INLINE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
MOCKGPU_INLINE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
MOCKGPU_INLINE float rnorm4df(float a, float b, float c, float d) {
  return 1.0f / norm4df(a, b, c, d);
}
MOCKGPU_INLINE double rnorm4d(double a, double b, double c, double d) {
  return 1.0 / norm4d(a, b, c, d);
}
inline double norm(int dimensions, double const* values) {
  double length = 0;
  for (int i = 0; i < dimensions; ++i) length = hypot(length, values[i]);
  return length;
}
inline float normf(int dimensions, float const* values) {
  return static_cast<float>([&] {
    double length = 0;
    for (int i = 0; i < dimensions; ++i) length = hypot(length, static_cast<double>(values[i]));
    return length;
  }());
}
inline double rnorm(int dimensions, double const* values) { return 1.0 / norm(dimensions, values); }
inline float rnormf(int dimensions, float const* values) {
  return 1.0f / normf(dimensions, values);
}

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* Where a falling function has a value, by halving an interval down to neighbours. */
  template <class Function>
  inline double solve_falling(double low, double high, double value, Function function) {
    while (true) {
      double const middle = low + (high - low) / 2;
      if (!(low < middle && middle < high)) return middle;
      (function(middle) > value ? low : high) = middle;
    }
  }
  /* The modified Bessel function of the first kind, of order 0 or 1, by its series: all terms have
   * one sign. */
  inline double bessel_i(int order, double x) {
    double term = order == 0 ? 1.0 : x / 2, sum = term;
    for (int k = 1; fabs(term) > fabs(sum) * 2.7755575615628914e-17; ++k)
      sum += term *= x / 2 * (x / 2) / (static_cast<double>(k) * (k + order));
    return sum;
  }
} // namespace )
inline double erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return NAN;
  if (y == 0.0 || y == 2.0) return y == 0.0 ? INFINITY : -INFINITY;
  if (y == 1.0) return 0.0;
  return ::mockgpu_shim::solve_falling(-6.0, 28.0, y, [](double x) { return erfc(x); });
}
inline double erfinv(double y) {
  if (!(fabs(y) <= 1.0)) return NAN;
  if (fabs(y) == 1.0) return copysign(INFINITY, y);
  if (fabs(y) < 1e-8) return y * 0.88622692545275801365; /* half the root of pi */
  double const size =
      ::mockgpu_shim::solve_falling(0.0, 6.0, -fabs(y), [](double x) { return -erf(x); });
  return copysign(size, y);
}
inline double normcdfinv(double y) { return -M_SQRT2 * erfcinv(2.0 * y); }
inline double cyl_bessel_i0(double x) { return ::mockgpu_shim::bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return ::mockgpu_shim::bessel_i(1, x); }
inline float erfcinvf(float y) { return static_cast<float>(erfcinv(static_cast<double>(y))); }
inline float erfinvf(float y) { return static_cast<float>(erfinv(static_cast<double>(y))); }
inline float normcdfinvf(float y) { return static_cast<float>(normcdfinv(static_cast<double>(y))); }
inline float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
inline float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}

/* Loads and stores with a hint for caches, which do not matter here. */
template <class T> MOCKGPU_INLINE T __ldg(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldcg(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldca(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldcs(T const* address) { return *address; }
template <class T> MOCKGPU_INLINE T __ldlu(T const* address) { return *address; }
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
inline long long llmin(long long a, long long b) { return b < a ? b : a; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
#endif
