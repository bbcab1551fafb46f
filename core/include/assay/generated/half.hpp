#pragma once
/// \file float16 in generated code: stored as IEEE 754 binary16, computed as float.
#include <type_traits>

#include "assay/generated/math.hpp"

namespace assay::gen {

/// Two bytes. Converts to float exactly, from every arithmetic type to the nearest value, ties to
/// even; what is too large becomes infinity.
struct half {
  unsigned short bits;

  half() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  ASSAY_GENERATED_FN half(T value) : bits(rounded(static_cast<float>(value))) {}
  ASSAY_GENERATED_FN operator float() const { return widened(bits); }

private:
  ASSAY_GENERATED_FN static unsigned int bits_of(float value) {
    unsigned int result;
    __builtin_memcpy(&result, &value, sizeof(result));
    return result;
  }
  ASSAY_GENERATED_FN static float float_of(unsigned int value) {
    float result;
    __builtin_memcpy(&result, &value, sizeof(result));
    return result;
  }

  ASSAY_GENERATED_FN static unsigned short rounded(float value) {
    unsigned int const all = bits_of(value), sign = all >> 16 & 0x8000u, rest = all & 0x7fffffffu;
    if (rest > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u);
    if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u); // 65520 and above
    if (rest < 0x38800000u) { // below 2^-14: in steps of 2^-24, which adding 0.5 lines up
      float const lined_up = float_of(rest) + 0.5f;
      return static_cast<unsigned short>(sign | (bits_of(lined_up) - 0x3f000000u));
    }
    unsigned int const odd = rest >> 13 & 1u;
    return static_cast<unsigned short>(sign | ((rest - 0x38000000u + 0xfffu + odd) >> 13));
  }

  ASSAY_GENERATED_FN static float widened(unsigned short value) {
    unsigned int const sign = static_cast<unsigned int>(value & 0x8000u) << 16,
                       rest = value & 0x7fffu;
    if (rest >= 0x7c00u) return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400u) return float_of(sign | ((rest << 13) + 0x38000000u));
    float const small = static_cast<float>(rest) * (1.0f / 16777216.0f); // steps of 2^-24
    return (sign != 0) ? -small : small;
  }
};

} // namespace assay::gen
