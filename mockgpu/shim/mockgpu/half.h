#ifndef MOCKGPU_SHIM_HALF_H
#define MOCKGPU_SHIM_HALF_H
#pragma GCC system_header
/* Sixteen-bit floating point: IEEE half precision and bfloat16. Each operation is computed in
 * single precision and rounded once, to nearest even, as devices do. */
#include "mockgpu/device.h"

namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  /* Part of the types of user code, which are visible. */
  struct __attribute__((visibility("default"))) half_format {
    static float widen(unsigned short bits) {
      unsigned const sign = static_cast<unsigned>(bits & 0x8000) << 16;
      unsigned const exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
      if (exponent == 0x1F)
        return __builtin_bit_cast(float, sign | 0x7F800000u | fraction << 13);
      float const size = exponent == 0 ? static_cast<float>(fraction) * 0x1p-24f
                                       : __builtin_bit_cast(float, (exponent + 112) << 23 |
                                                                       fraction << 13);
      return sign != 0 ? -size : size;
    }
    static unsigned short narrow(float value) {
      unsigned const bits = __builtin_bit_cast(unsigned, value);
      unsigned const sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFFu;
      if (size > 0x7F800000u) return 0x7FFF; /* not a number */
      if (size >= 0x477FF000u) return static_cast<unsigned short>(sign | 0x7C00); /* infinite */
      if (size < 0x38800000u) { /* below the normal numbers: units of 2^-24, to nearest even */
        float const units = __builtin_bit_cast(float, size) * 0x1p24f;
        return static_cast<unsigned short>(sign | static_cast<unsigned>(nearbyintf(units)));
      }
      unsigned const rounded = size + 0xFFF + (size >> 13 & 1);
      return static_cast<unsigned short>(sign | ((rounded - 0x38000000u) >> 13));
    }
  };
  struct __attribute__((visibility("default"))) bfloat16_format {
    static float widen(unsigned short bits) {
      return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
    }
    static unsigned short narrow(float value) {
      unsigned const bits = __builtin_bit_cast(unsigned, value);
      if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;
      return static_cast<unsigned short>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
  };

  /* The nearest float of odd fraction, unless a float has the value: rounded again to a shorter
   * format, it gives what one rounding of the double would. */
  inline float round_to_odd(double value) {
    float const near = static_cast<float>(value);
    if (static_cast<double>(near) == value || value != value || __builtin_isinf(near)) return near;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (fabs(static_cast<double>(near)) > fabs(value)) --bits;
    return __builtin_bit_cast(float, bits | 1);
  }
  template <class Format> struct __attribute__((visibility("default"), aligned(2))) small_float {
    unsigned short bits;
    small_float() = default;
    small_float(float value) : bits(Format::narrow(value)) {}
    small_float(double value) : bits(Format::narrow(round_to_odd(value))) {}
    small_float(int value) : bits(Format::narrow(round_to_odd(value))) {}
    small_float(unsigned value) : bits(Format::narrow(round_to_odd(value))) {}
    operator float() const { return Format::widen(bits); }
    small_float& operator+=(small_float b) { return *this = *this + b; }
    small_float& operator-=(small_float b) { return *this = *this - b; }
    small_float& operator*=(small_float b) { return *this = *this * b; }
    small_float& operator/=(small_float b) { return *this = *this / b; }
#define MOCKGPU_HALF_OPERATOR(op)                                                                  \
  friend small_float operator op(small_float a, small_float b) {                                   \
    return small_float(static_cast<float>(a) op static_cast<float>(b));                            \
  }
    MOCKGPU_HALF_OPERATOR(+)
    MOCKGPU_HALF_OPERATOR(-)
    MOCKGPU_HALF_OPERATOR(*)
    MOCKGPU_HALF_OPERATOR(/)
#undef MOCKGPU_HALF_OPERATOR
    friend small_float operator-(small_float a) { return small_float(-static_cast<float>(a)); }
#define MOCKGPU_HALF_COMPARISON(op)                                                                \
  friend bool operator op(small_float a, small_float b) {                                          \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }
    MOCKGPU_HALF_COMPARISON(==)
    MOCKGPU_HALF_COMPARISON(!=)
    MOCKGPU_HALF_COMPARISON(<)
    MOCKGPU_HALF_COMPARISON(<=)
    MOCKGPU_HALF_COMPARISON(>)
    MOCKGPU_HALF_COMPARISON(>=)
#undef MOCKGPU_HALF_COMPARISON
  };
  template <class Half> struct __attribute__((visibility("default"), aligned(4))) pair_of {
    Half x, y;
    pair_of() = default;
    pair_of(Half first, Half second) : x(first), y(second) {}
#define MOCKGPU_PAIR_OPERATOR(op)                                                                  \
  friend pair_of operator op(pair_of a, pair_of b) { return {a.x op b.x, a.y op b.y}; }            \
  pair_of& operator op##=(pair_of b) { return *this = *this op b; }
    MOCKGPU_PAIR_OPERATOR(+)
    MOCKGPU_PAIR_OPERATOR(-)
    MOCKGPU_PAIR_OPERATOR(*)
    MOCKGPU_PAIR_OPERATOR(/)
#undef MOCKGPU_PAIR_OPERATOR
    friend pair_of operator-(pair_of a) { return {-a.x, -a.y}; }
    friend bool operator==(pair_of a, pair_of b) { return a.x == b.x && a.y == b.y; }
    friend bool operator!=(pair_of a, pair_of b) { return !(a == b); }
  };

} // namespace )

/* The functions of one type. */
#define MOCKGPU_HALF_FUNCTIONS(half_type, pair_type)                                               \
  inline half_type __hadd(half_type a, half_type b) { return a + b; }                              \
  inline half_type __hsub(half_type a, half_type b) { return a - b; }                              \
  inline half_type __hmul(half_type a, half_type b) { return a * b; }                              \
  inline half_type __hdiv(half_type a, half_type b) { return a / b; }                              \
  inline half_type __hneg(half_type a) { return -a; }                                              \
  inline half_type __habs(half_type a) { return half_type(fabsf(float(a))); }                      \
  inline half_type __hfma(half_type a, half_type b, half_type c) {                                 \
    return half_type(::mockgpu_shim::fma_to_odd(float(a), float(b), float(c)));                    \
  }                                                                                                \
  inline half_type __hmin(half_type a, half_type b) { return half_type(fminf(float(a), float(b))); } \
  inline half_type __hmax(half_type a, half_type b) { return half_type(fmaxf(float(a), float(b))); } \
  inline bool __heq(half_type a, half_type b) { return a == b; }                                   \
  inline bool __hne(half_type a, half_type b) { return a != b; }                                   \
  inline bool __hlt(half_type a, half_type b) { return a < b; }                                    \
  inline bool __hle(half_type a, half_type b) { return a <= b; }                                   \
  inline bool __hgt(half_type a, half_type b) { return a > b; }                                    \
  inline bool __hge(half_type a, half_type b) { return a >= b; }                                   \
  inline bool __hisnan(half_type a) { return float(a) != float(a); }                               \
  inline half_type hsqrt(half_type a) { return half_type(sqrtf(float(a))); }                       \
  inline half_type hrsqrt(half_type a) { return half_type(1.0f / sqrtf(float(a))); }               \
  inline half_type hexp(half_type a) { return half_type(expf(float(a))); }                         \
  inline half_type hlog(half_type a) { return half_type(logf(float(a))); }                         \
  inline half_type hsin(half_type a) { return half_type(sinf(float(a))); }                         \
  inline half_type hcos(half_type a) { return half_type(cosf(float(a))); }                         \
  inline pair_type __hadd2(pair_type a, pair_type b) { return {a.x + b.x, a.y + b.y}; }            \
  inline pair_type __hsub2(pair_type a, pair_type b) { return {a.x - b.x, a.y - b.y}; }            \
  inline pair_type __hmul2(pair_type a, pair_type b) { return {a.x * b.x, a.y * b.y}; }            \
  inline pair_type __hfma2(pair_type a, pair_type b, pair_type c) {                                \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                         \
  }                                                                                                \
  inline half_type atomicAdd(half_type* address, half_type value) {                                \
    return ::mockgpu_shim::atomic_update(address, [=](half_type old) { return old + value; });     \
  }
#endif
