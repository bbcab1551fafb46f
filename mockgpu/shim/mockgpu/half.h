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
      if (exponent == 0x1F) return __builtin_bit_cast(float, sign | 0x7F800000u | fraction << 13);
      float const size = exponent == 0
                             ? static_cast<float>(fraction) * 5.9604644775390625e-08f
                             : __builtin_bit_cast(float, (exponent + 112) << 23 | fraction << 13);
      return sign != 0 ? -size : size;
    }
    static unsigned short narrow(float value) {
      unsigned const bits = __builtin_bit_cast(unsigned, value);
      unsigned const sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFFu;
      if (size > 0x7F800000u) return 0x7FFF;                                      /* not a number */
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
  /* The nearest float of odd fraction, unless a float has the value: rounded again to a shorter
   * format, it gives what one rounding of the wider number would. */
  template <class Wide> inline float round_to_odd(Wide value) {
    float const near = static_cast<float>(value);
    if (static_cast<Wide>(near) == value || value != value || __builtin_isinf(near)) return near;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    /* By the value's sign: what is nearest may be zero. */
    if (value > 0 ? static_cast<Wide>(near) > value : static_cast<Wide>(near) < value) --bits;
    return __builtin_bit_cast(float, bits | 1);
  }
  template <class Format> struct __attribute__((visibility("default"), aligned(2))) small_float {
    unsigned short bits;
    small_float() = default;
    small_float(float value) : bits(Format::narrow(value)) {}
    small_float(double value) : bits(Format::narrow(round_to_odd(value))) {}
    small_float(int value) : bits(Format::narrow(round_to_odd<double>(value))) {}
    small_float(unsigned value) : bits(Format::narrow(round_to_odd<double>(value))) {}
    operator float() const { return Format::widen(bits); }
    /* The nearest one that is not above (`up` false) or not below the value. Wide holds every value
     * that can come, exactly. */
    template <class Wide> static small_float directed(Wide value, bool up) {
      small_float near;
      near.bits = Format::narrow(round_to_odd(value));
      if (value != value) return near;
      Wide const found = static_cast<float>(near);
      if (up ? found >= value : found <= value) return near;
      if ((near.bits & 0x7FFF) == 0) /* the smallest number on the other side of zero */
        near.bits = static_cast<unsigned short>(up ? 1 : 0x8001);
      else
        near.bits = static_cast<unsigned short>(near.bits + ((found > 0) == up ? 1 : -1));
      return near;
    }
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

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* For CUDA a comparison by its plain name is false where a side is not a number, this one too. */
  inline bool differ(float a, float b) {
#ifdef __HIP_PLATFORM_AMD__
    return a != b;
#else
    return a < b || b < a;
#endif
  }
} // namespace )

/* Of two pairs: 1 or 0 for each half, all bits of a half, or whether both hold. */
#define MOCKGPU_HALF_PAIR_COMPARISON(name, half_type, pair_type)                                   \
  inline pair_type __h##name##2(pair_type a, pair_type b) {                                        \
    return {half_type(float(__h##name(a.x, b.x))), half_type(float(__h##name(a.y, b.y)))};         \
  }                                                                                                \
  inline unsigned __h##name##2_mask(pair_type a, pair_type b) {                                    \
    return (__h##name(a.x, b.x) ? 0xFFFFu : 0u) | (__h##name(a.y, b.y) ? 0xFFFF0000u : 0u);        \
  }                                                                                                \
  inline bool __hb##name##2(pair_type a, pair_type b) {                                            \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                             \
  }

/* Conversions of a type, whose name in them is `half`, to an integer and back. */
#define MOCKGPU_HALF_TO_INTEGER(half, half_type, integer, type, low, high)                         \
  inline type __##half##2##integer##_rn(half_type a) {                                             \
    return ::mockgpu_shim::to_integer<type, float>(nearbyintf(a), low, high);                      \
  }                                                                                                \
  inline type __##half##2##integer##_rd(half_type a) {                                             \
    return ::mockgpu_shim::to_integer<type, float>(floorf(a), low, high);                          \
  }                                                                                                \
  inline type __##half##2##integer##_ru(half_type a) {                                             \
    return ::mockgpu_shim::to_integer<type, float>(ceilf(a), low, high);                           \
  }                                                                                                \
  inline type __##half##2##integer##_rz(half_type a) {                                             \
    return ::mockgpu_shim::to_integer<type, float>(truncf(a), low, high);                          \
  }
#define MOCKGPU_TO_HALF(half, half_type, from, type, Wide)                                         \
  inline half_type __##from##2##half##_rn(type a) {                                                \
    return half_type(::mockgpu_shim::round_to_odd<Wide>(a));                                       \
  }                                                                                                \
  inline half_type __##from##2##half##_rd(type a) {                                                \
    return half_type::directed(static_cast<Wide>(a), false);                                       \
  }                                                                                                \
  inline half_type __##from##2##half##_ru(type a) {                                                \
    return half_type::directed(static_cast<Wide>(a), true);                                        \
  }                                                                                                \
  inline half_type __##from##2##half##_rz(type a) {                                                \
    return half_type::directed(static_cast<Wide>(a), a < 0);                                       \
  }
#define MOCKGPU_HALF_CONVERSIONS(half, half_type)                                                  \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, short, short, -0x1p15f, 0x1p15f)                        \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, ushort, unsigned short, 0.0f, 0x1p16f)                  \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, int, int, -0x1p31f, 0x1p31f)                            \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, uint, unsigned, 0.0f, 0x1p32f)                          \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, ll, long long, -0x1p63f, 0x1p63f)                       \
  MOCKGPU_HALF_TO_INTEGER(half, half_type, ull, unsigned long long, 0.0f, 0x1p64f)                 \
  MOCKGPU_TO_HALF(half, half_type, short, short, double)                                           \
  MOCKGPU_TO_HALF(half, half_type, ushort, unsigned short, double)                                 \
  MOCKGPU_TO_HALF(half, half_type, int, int, double)                                               \
  MOCKGPU_TO_HALF(half, half_type, uint, unsigned, double)                                         \
  MOCKGPU_TO_HALF(half, half_type, ll, long long, long double)                                     \
  MOCKGPU_TO_HALF(half, half_type, ull, unsigned long long, long double)                           \
  MOCKGPU_TO_HALF(half, half_type, float, float, double)                                           \
  inline signed char __##half##2char_rz(half_type a) {                                             \
    return ::mockgpu_shim::to_integer<signed char, float>(truncf(a), -0x1p7f, 0x1p7f);             \
  }                                                                                                \
  inline unsigned char __##half##2uchar_rz(half_type a) {                                          \
    return ::mockgpu_shim::to_integer<unsigned char, float>(truncf(a), 0.0f, 0x1p8f);              \
  }

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
  inline half_type __hmin(half_type a, half_type b) {                                              \
    return half_type(fminf(float(a), float(b)));                                                   \
  }                                                                                                \
  inline half_type __hmax(half_type a, half_type b) {                                              \
    return half_type(fmaxf(float(a), float(b)));                                                   \
  }                                                                                                \
  inline bool __heq(half_type a, half_type b) { return a == b; }                                   \
  inline bool __hne(half_type a, half_type b) {                                                    \
    return ::mockgpu_shim::differ(float(a), float(b));                                             \
  }                                                                                                \
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
  inline half_type hceil(half_type a) { return half_type(ceilf(float(a))); }                       \
  inline half_type hfloor(half_type a) { return half_type(floorf(float(a))); }                     \
  inline half_type htrunc(half_type a) { return half_type(truncf(float(a))); }                     \
  inline half_type hrint(half_type a) { return half_type(rintf(float(a))); }                       \
  inline half_type hexp2(half_type a) { return half_type(exp2f(float(a))); }                       \
  inline half_type hexp10(half_type a) { return half_type(exp10f(float(a))); }                     \
  inline half_type hlog2(half_type a) { return half_type(log2f(float(a))); }                       \
  inline half_type hlog10(half_type a) { return half_type(log10f(float(a))); }                     \
  inline half_type hrcp(half_type a) { return half_type(1.0f / float(a)); }                        \
  inline half_type htanh(half_type a) { return half_type(tanhf(float(a))); }                       \
  inline bool __hequ(half_type a, half_type b) { return !(a < b) && !(b < a); }                    \
  inline bool __hneu(half_type a, half_type b) { return !(a == b); }                               \
  inline bool __hltu(half_type a, half_type b) { return !(a >= b); }                               \
  inline bool __hleu(half_type a, half_type b) { return !(a > b); }                                \
  inline bool __hgtu(half_type a, half_type b) { return !(a <= b); }                               \
  inline bool __hgeu(half_type a, half_type b) { return !(a < b); }                                \
  inline int __hisinf(half_type a) {                                                               \
    return !__builtin_isinf(float(a)) ? 0 : float(a) < 0 ? -1 : 1;                                 \
  }                                                                                                \
  inline half_type __hsat(half_type a) { return half_type(__saturatef(float(a))); }                \
  inline half_type __hadd_rn(half_type a, half_type b) { return __hadd(a, b); }                    \
  inline half_type __hadd_sat(half_type a, half_type b) { return __hsat(__hadd(a, b)); }           \
  inline half_type __hsub_rn(half_type a, half_type b) { return __hsub(a, b); }                    \
  inline half_type __hsub_sat(half_type a, half_type b) { return __hsat(__hsub(a, b)); }           \
  inline half_type __hmul_rn(half_type a, half_type b) { return __hmul(a, b); }                    \
  inline half_type __hmul_sat(half_type a, half_type b) { return __hsat(__hmul(a, b)); }           \
  inline half_type __hfma_sat(half_type a, half_type b, half_type c) {                             \
    return __hsat(__hfma(a, b, c));                                                                \
  }                                                                                                \
  inline half_type __hfma_relu(half_type a, half_type b, half_type c) {                            \
    half_type const value = __hfma(a, b, c);                                                       \
    return __hlt(value, half_type(0.0f)) ? half_type(0.0f) : value;                                \
  }                                                                                                \
  inline half_type __hmin_nan(half_type a, half_type b) {                                          \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);                                       \
  }                                                                                                \
  inline half_type __hmax_nan(half_type a, half_type b) {                                          \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);                                       \
  }                                                                                                \
  inline pair_type __hadd2(pair_type a, pair_type b) {                                             \
    return {__hadd(a.x, b.x), __hadd(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hadd2_rn(pair_type a, pair_type b) {                                          \
    return {__hadd(a.x, b.x), __hadd(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hadd2_sat(pair_type a, pair_type b) {                                         \
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};                                           \
  }                                                                                                \
  inline pair_type __hsub2(pair_type a, pair_type b) {                                             \
    return {__hsub(a.x, b.x), __hsub(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hsub2_rn(pair_type a, pair_type b) {                                          \
    return {__hsub(a.x, b.x), __hsub(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hsub2_sat(pair_type a, pair_type b) {                                         \
    return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)};                                           \
  }                                                                                                \
  inline pair_type __hmul2(pair_type a, pair_type b) {                                             \
    return {__hmul(a.x, b.x), __hmul(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hmul2_rn(pair_type a, pair_type b) {                                          \
    return {__hmul(a.x, b.x), __hmul(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hmul2_sat(pair_type a, pair_type b) {                                         \
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};                                           \
  }                                                                                                \
  inline pair_type __h2div(pair_type a, pair_type b) {                                             \
    return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hmin2(pair_type a, pair_type b) {                                             \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hmin2_nan(pair_type a, pair_type b) {                                         \
    return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};                                           \
  }                                                                                                \
  inline pair_type __hmax2(pair_type a, pair_type b) {                                             \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                                                   \
  }                                                                                                \
  inline pair_type __hmax2_nan(pair_type a, pair_type b) {                                         \
    return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};                                           \
  }                                                                                                \
  inline pair_type __hfma2(pair_type a, pair_type b, pair_type c) {                                \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                         \
  }                                                                                                \
  inline pair_type __hfma2_sat(pair_type a, pair_type b, pair_type c) {                            \
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                                 \
  }                                                                                                \
  inline pair_type __hfma2_relu(pair_type a, pair_type b, pair_type c) {                           \
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                               \
  }                                                                                                \
  inline pair_type __hneg2(pair_type a) { return {-a.x, -a.y}; }                                   \
  inline pair_type __habs2(pair_type a) { return {__habs(a.x), __habs(a.y)}; }                     \
  inline pair_type h2sqrt(pair_type a) { return {hsqrt(a.x), hsqrt(a.y)}; }                        \
  inline pair_type h2rsqrt(pair_type a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }                     \
  inline pair_type h2exp(pair_type a) { return {hexp(a.x), hexp(a.y)}; }                           \
  inline pair_type h2log(pair_type a) { return {hlog(a.x), hlog(a.y)}; }                           \
  inline pair_type h2sin(pair_type a) { return {hsin(a.x), hsin(a.y)}; }                           \
  inline pair_type h2cos(pair_type a) { return {hcos(a.x), hcos(a.y)}; }                           \
  inline pair_type h2ceil(pair_type a) { return {hceil(a.x), hceil(a.y)}; }                        \
  inline pair_type h2floor(pair_type a) { return {hfloor(a.x), hfloor(a.y)}; }                     \
  inline pair_type h2trunc(pair_type a) { return {htrunc(a.x), htrunc(a.y)}; }                     \
  inline pair_type h2rint(pair_type a) { return {hrint(a.x), hrint(a.y)}; }                        \
  inline pair_type h2exp2(pair_type a) { return {hexp2(a.x), hexp2(a.y)}; }                        \
  inline pair_type h2exp10(pair_type a) { return {hexp10(a.x), hexp10(a.y)}; }                     \
  inline pair_type h2log2(pair_type a) { return {hlog2(a.x), hlog2(a.y)}; }                        \
  inline pair_type h2log10(pair_type a) { return {hlog10(a.x), hlog10(a.y)}; }                     \
  inline pair_type h2rcp(pair_type a) { return {hrcp(a.x), hrcp(a.y)}; }                           \
  inline pair_type h2tanh(pair_type a) { return {htanh(a.x), htanh(a.y)}; }                        \
  inline pair_type __hisnan2(pair_type a) { return {float(__hisnan(a.x)), float(__hisnan(a.y))}; } \
  MOCKGPU_HALF_PAIR_COMPARISON(eq, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(ne, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(lt, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(le, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(gt, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(ge, half_type, pair_type)                                           \
  MOCKGPU_HALF_PAIR_COMPARISON(equ, half_type, pair_type)                                          \
  MOCKGPU_HALF_PAIR_COMPARISON(neu, half_type, pair_type)                                          \
  MOCKGPU_HALF_PAIR_COMPARISON(ltu, half_type, pair_type)                                          \
  MOCKGPU_HALF_PAIR_COMPARISON(leu, half_type, pair_type)                                          \
  MOCKGPU_HALF_PAIR_COMPARISON(gtu, half_type, pair_type)                                          \
  MOCKGPU_HALF_PAIR_COMPARISON(geu, half_type, pair_type)                                          \
  inline half_type atomicAdd(half_type* address, half_type value) {                                \
    return ::mockgpu_shim::atomic_update(address, [=](half_type old) { return old + value; });     \
  }                                                                                                \
  inline pair_type atomicAdd(pair_type* address, pair_type value) {                                \
    half_type* const halves = reinterpret_cast<half_type*>(address);                               \
    half_type const first = atomicAdd(halves, value.x); /* each half is atomic, not the pair */    \
    return {first, atomicAdd(halves + 1, value.y)};                                                \
  }
#endif
