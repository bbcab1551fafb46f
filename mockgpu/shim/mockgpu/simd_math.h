#ifndef MOCKGPU_SHIM_SIMD_MATH_H
#define MOCKGPU_SHIM_SIMD_MATH_H
#pragma GCC system_header
/* Two or four short integers in a word of 32 bits: CUDA's SIMD intrinsics and dot products. */
#include "mockgpu/sync.h"
#include "mockgpu/vector_types.h"

namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* Lane by lane; a lane keeps the low bits of what the function gives. */
  template <class Lane, class Function>
  MOCKGPU_INLINE unsigned by_lane(unsigned a, unsigned b, Function function) {
    constexpr unsigned bits = 8 * sizeof(Lane), mask = (1u << bits) - 1;
    unsigned result = 0;
    for (unsigned shift = 0; shift < 32; shift += bits)
      result |= (static_cast<unsigned>(function(static_cast<int>(static_cast<Lane>(a >> shift)),
                                                static_cast<int>(static_cast<Lane>(b >> shift)))) &
                 mask)
                << shift;
    return result;
  }
  /* The sum of the lanes' distances. */
  template <class Lane> MOCKGPU_INLINE unsigned sum_of_distances(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Lane)) {
      int const x = static_cast<Lane>(a >> shift), y = static_cast<Lane>(b >> shift);
      sum += static_cast<unsigned>(x < y ? y - x : x - y);
    }
    return sum;
  }
  template <class Lane> MOCKGPU_INLINE int saturated(int value) {
    constexpr bool is_signed = static_cast<Lane>(-1) < 0;
    constexpr int bits = 8 * sizeof(Lane);
    constexpr int high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    constexpr int low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
  }
} // namespace )

#define MOCKGPU_LANES_OF(name, parameters, b, Lane, ...)                                           \
  MOCKGPU_INLINE unsigned name parameters {                                                        \
    using lane [[maybe_unused]] = Lane;                                                            \
    return ::mockgpu_shim::by_lane<Lane>(                                                          \
        a, b, [](int x, [[maybe_unused]] int y) { return __VA_ARGS__; });                          \
  }
#define MOCKGPU_LANES(name, Half, Byte, ...)                                                       \
  MOCKGPU_LANES_OF(name##2, (unsigned a, unsigned b), b, Half, __VA_ARGS__)                        \
  MOCKGPU_LANES_OF(name##4, (unsigned a, unsigned b), b, Byte, __VA_ARGS__)
#define MOCKGPU_LANES_OF_ONE(name, ...)                                                            \
  MOCKGPU_LANES_OF(name##2, (unsigned a), a, short, __VA_ARGS__)                                   \
  MOCKGPU_LANES_OF(name##4, (unsigned a), a, signed char, __VA_ARGS__)
#define MOCKGPU_SIGNED_LANES(name, ...) MOCKGPU_LANES(name, short, signed char, __VA_ARGS__)
#define MOCKGPU_UNSIGNED_LANES(name, ...)                                                          \
  MOCKGPU_LANES(name, unsigned short, unsigned char, __VA_ARGS__)

MOCKGPU_SIGNED_LANES(__vadd, x + y)
MOCKGPU_SIGNED_LANES(__vsub, x - y)
MOCKGPU_SIGNED_LANES(__vaddss, ::mockgpu_shim::saturated<lane>(x + y))
MOCKGPU_SIGNED_LANES(__vsubss, ::mockgpu_shim::saturated<lane>(x - y))
MOCKGPU_UNSIGNED_LANES(__vaddus, ::mockgpu_shim::saturated<lane>(x + y))
MOCKGPU_UNSIGNED_LANES(__vsubus, ::mockgpu_shim::saturated<lane>(x - y))
MOCKGPU_LANES_OF_ONE(__vneg, -x)
MOCKGPU_LANES_OF_ONE(__vnegss, ::mockgpu_shim::saturated<lane>(-x))
MOCKGPU_LANES_OF_ONE(__vabs, x < 0 ? -x : x)
MOCKGPU_LANES_OF_ONE(__vabsss, ::mockgpu_shim::saturated<lane>(x < 0 ? -x : x))
MOCKGPU_SIGNED_LANES(__vabsdiffs, x < y ? y - x : x - y)
MOCKGPU_UNSIGNED_LANES(__vabsdiffu, x < y ? y - x : x - y)
/* Halves round away from zero; __vhaddu rounds them down. */
MOCKGPU_SIGNED_LANES(__vavgs, (x + y + (x + y >= 0)) >> 1)
MOCKGPU_UNSIGNED_LANES(__vavgu, (x + y + 1) >> 1)
MOCKGPU_UNSIGNED_LANES(__vhaddu, (x + y) >> 1)
MOCKGPU_SIGNED_LANES(__vmins, y < x ? y : x)
MOCKGPU_SIGNED_LANES(__vmaxs, x < y ? y : x)
MOCKGPU_UNSIGNED_LANES(__vminu, y < x ? y : x)
MOCKGPU_UNSIGNED_LANES(__vmaxu, x < y ? y : x)
/* Comparisons: every bit of a lane, or its lowest one. */
#define MOCKGPU_COMPARED_LANES(suffix, kind, op)                                                   \
  MOCKGPU_##kind##_LANES(__vcmp##suffix, x op y ? -1 : 0)                                          \
      MOCKGPU_##kind##_LANES(__vset##suffix, x op y ? 1 : 0)
MOCKGPU_COMPARED_LANES(eq, SIGNED, ==)
MOCKGPU_COMPARED_LANES(ne, SIGNED, !=)
MOCKGPU_COMPARED_LANES(lts, SIGNED, <)
MOCKGPU_COMPARED_LANES(les, SIGNED, <=)
MOCKGPU_COMPARED_LANES(gts, SIGNED, >)
MOCKGPU_COMPARED_LANES(ges, SIGNED, >=)
MOCKGPU_COMPARED_LANES(ltu, UNSIGNED, <)
MOCKGPU_COMPARED_LANES(leu, UNSIGNED, <=)
MOCKGPU_COMPARED_LANES(gtu, UNSIGNED, >)
MOCKGPU_COMPARED_LANES(geu, UNSIGNED, >=)
#undef MOCKGPU_COMPARED_LANES
#undef MOCKGPU_UNSIGNED_LANES
#undef MOCKGPU_SIGNED_LANES
#undef MOCKGPU_LANES_OF_ONE
#undef MOCKGPU_LANES
#undef MOCKGPU_LANES_OF
MOCKGPU_INLINE unsigned __vsads2(unsigned a, unsigned b) {
  return ::mockgpu_shim::sum_of_distances<short>(a, b);
}
MOCKGPU_INLINE unsigned __vsads4(unsigned a, unsigned b) {
  return ::mockgpu_shim::sum_of_distances<signed char>(a, b);
}
MOCKGPU_INLINE unsigned __vsadu2(unsigned a, unsigned b) {
  return ::mockgpu_shim::sum_of_distances<unsigned short>(a, b);
}
MOCKGPU_INLINE unsigned __vsadu4(unsigned a, unsigned b) {
  return ::mockgpu_shim::sum_of_distances<unsigned char>(a, b);
}

/* Dot products of short vectors, added to a third number. */
#define MOCKGPU_DOT(type, Half, Byte, HalfVector, ByteVector)                                      \
  MOCKGPU_INLINE type __dp4a(type a, type b, type c) {                                             \
    for (int shift = 0; shift < 32; shift += 8)                                                    \
      c += static_cast<type>(static_cast<Byte>(a >> shift) * static_cast<Byte>(b >> shift));       \
    return c;                                                                                      \
  }                                                                                                \
  MOCKGPU_INLINE type __dp2a_lo(type a, type b, type c) {                                          \
    return c + static_cast<type>(static_cast<Half>(a) * static_cast<Byte>(b)) +                    \
           static_cast<type>(static_cast<Half>(a >> 16) * static_cast<Byte>(b >> 8));              \
  }                                                                                                \
  MOCKGPU_INLINE type __dp2a_hi(type a, type b, type c) { return __dp2a_lo(a, b >> 16, c); }       \
  MOCKGPU_INLINE type __dp4a(ByteVector a, ByteVector b, type c) {                                 \
    return __dp4a(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                    \
  }                                                                                                \
  MOCKGPU_INLINE type __dp2a_lo(HalfVector a, ByteVector b, type c) {                              \
    return __dp2a_lo(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                 \
  }                                                                                                \
  MOCKGPU_INLINE type __dp2a_hi(HalfVector a, ByteVector b, type c) {                              \
    return __dp2a_hi(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                 \
  }
MOCKGPU_DOT(int, short, signed char, short2, char4)
MOCKGPU_DOT(unsigned, unsigned short, unsigned char, ushort2, uchar4)
#undef MOCKGPU_DOT
#endif
