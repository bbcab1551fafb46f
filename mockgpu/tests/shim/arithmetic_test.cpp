// Arithmetic of short formats, directed rounding and conversions, against results in a wider format
// that are rounded once, by search.
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "hip/hip_complex.h"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace {

__extension__ typedef __float128 wide; // 113 bits: sums and products of these formats are exact

/// The value nearest to `exact`, the one of even fraction of two, by walking through the format.
template <class Half> Half nearest(wide exact) {
  Half best = __builtin_bit_cast(Half, std::uint16_t{0});
  bool const negative = exact < 0;
  wide const size = negative ? -exact : exact;
  int low = 0, high = 0x7FFF; // non-negative values are ordered as their bits are
  auto const value = [](int bits) {
    return wide(float(__builtin_bit_cast(Half, std::uint16_t(bits))));
  };
  while (std::isinf(float(value(high))) || std::isnan(float(value(high)))) --high;
  int const most = high;
  while (high - low > 1) {
    int const middle = (low + high) / 2;
    (value(middle) <= size ? low : high) = middle;
  }
  int chosen = size - value(low) < value(high) - size ? low : high;
  if (size - value(low) == value(high) - size) chosen = low % 2 == 0 ? low : high;
  if (size >= value(most)) {
    wide const step = value(most) - value(most - 1);
    chosen = size < value(most) + step / 2 ? most : most + 1; // infinite
  }
  best.bits = std::uint16_t(chosen | (negative ? 0x8000 : 0));
  return best;
}

template <class Half> void compare_with_single_rounding() {
  std::mt19937 random(7);
  unsigned compared = 0;
  auto const next = [&] {
    Half one = __builtin_bit_cast(Half, std::uint16_t(random()));
    while (!std::isfinite(float(one))) one.bits = std::uint16_t(random());
    return one;
  };
  auto const check = [&](Half found, wide exact, char const* what) {
    if (exact == 0) return; // its sign is the format's business
    ++compared;
    EXPECT_EQ(found.bits, nearest<Half>(exact).bits) << what << " " << double(exact);
  };
  for (int i = 0; i < 20000; ++i) {
    Half const a = next(), b = next(), c = next();
    wide const x = float(a), y = float(b), z = float(c);
    check(a + b, x + y, "sum");
    check(a - b, x - y, "difference");
    check(a * b, x * y, "product");
    if (float(b) != 0) check(a / b, x / y, "quotient");
    // Further apart, the wide format would not hold the sum.
    if (x * y != 0 && z != 0 && std::abs(std::ilogb(double(x * y)) - std::ilogb(double(z))) <= 90)
      check(__hfma(a, b, c), x * y + z, "fma");
    double const between = (double(float(a)) + double(float(b))) / 2 * (1 + 0x1p-40);
    check(Half(between), between, "conversion of a double");
  }
  EXPECT_GT(compared, 100000u);
}

TEST(HalfPrecision, RoundsEveryOperationOnce) { compare_with_single_rounding<__half>(); }
TEST(Bfloat16, RoundsEveryOperationOnce) { compare_with_single_rounding<__nv_bfloat16>(); }

TEST(HalfPrecision, KeepsEveryValueThroughSinglePrecision) {
  unsigned kept = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    __half const value = __ushort_as_half(std::uint16_t(bits));
    if (__hisnan(value)) continue;
    ++kept;
    EXPECT_EQ(__half_as_ushort(__float2half(__half2float(value))), bits);
  }
  EXPECT_EQ(kept, 0x10000u - 2 * 1023u);
}

TEST(HalfPrecision, RoundsADoubleOnce) {
  // Just above the middle of 1 and the next value: by way of a float it would be the middle.
  EXPECT_EQ(float(__double2half(1 + 0x1p-11 + 0x1p-40)), 1 + 0x1p-10f);
  EXPECT_EQ(float(__double2half(1 + 0x1p-11)), 1.0f);
}

TEST(HalfPrecision, CalculatesInPairs) {
  __half2 const a = __floats2half2_rn(1, 2), b = __floats2half2_rn(3, -4);
  __half2 sum = a + b;
  sum += a;
  EXPECT_TRUE(sum == __floats2half2_rn(5, 0));
  EXPECT_TRUE(a * b == __floats2half2_rn(3, -8));
  EXPECT_TRUE(a - b != a);
}

/// The same operation under the processor's own rounding mode.
template <class Operation> float under(int mode, Operation operation) {
  std::fesetround(mode);
  float const volatile result = operation();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(DirectedRounding, AgreesWithTheProcessors) {
  std::mt19937 random(11);
  auto const next = [&] {
    float one = __builtin_bit_cast(float, std::uint32_t(random()));
    while (!std::isfinite(one) || std::fabs(one) < 1e-15f || std::fabs(one) > 1e15f)
      one = __builtin_bit_cast(float, std::uint32_t(random()));
    return one;
  };
  for (int i = 0; i < 20000; ++i) {
    float const volatile a = next(), b = next(), c = next();
#define COMPARE(name, expression, ...)                                                             \
  EXPECT_EQ(name##_rd(__VA_ARGS__), under(FE_DOWNWARD, [&] { return expression; })) << #name;      \
  EXPECT_EQ(name##_ru(__VA_ARGS__), under(FE_UPWARD, [&] { return expression; })) << #name;        \
  EXPECT_EQ(name##_rz(__VA_ARGS__), under(FE_TOWARDZERO, [&] { return expression; })) << #name;    \
  EXPECT_EQ(name##_rn(__VA_ARGS__), under(FE_TONEAREST, [&] { return expression; })) << #name;
    COMPARE(__fadd, a + b, a, b)
    COMPARE(__fsub, a - b, a, b)
    COMPARE(__fmul, a * b, a, b)
    COMPARE(__fdiv, a / b, a, b)
    COMPARE(__fmaf, std::fma(float(a), float(b), float(c)), a, b, c)
#undef COMPARE
  }
}

TEST(Conversions, RoundAndStayInRange) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(-3.5f), -4);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_ru(-2.9f), -2);
  EXPECT_EQ(__float2int_rz(-2.9f), -2);
  EXPECT_EQ(__float2int_rz(3e9f), INT32_MAX);
  EXPECT_EQ(__float2int_rz(-3e9f), INT32_MIN);
  EXPECT_EQ(__float2uint_rz(-1.0f), 0u);
  EXPECT_EQ(__double2ll_rn(0x1p62 + 0.0), std::int64_t{1} << 62);
  EXPECT_EQ(__double2ull_rz(1e30), UINT64_MAX);
  EXPECT_EQ(__int2float_rd(16777217), 16777216.0f);
  EXPECT_EQ(__int2float_ru(16777217), 16777218.0f);
  EXPECT_EQ(__int2float_rz(-16777217), -16777216.0f);
  EXPECT_EQ(__double2float_rz(-0.1), std::nextafter(-0.1f, 0.0f));
}

TEST(Complex, FollowsTheRulesOfComplexNumbers) {
  cuDoubleComplex const a = make_cuDoubleComplex(3, -4), b = make_cuDoubleComplex(1, 2);
  EXPECT_EQ(cuCreal(cuCmul(a, b)), 11);
  EXPECT_EQ(cuCimag(cuCmul(a, b)), 2);
  EXPECT_EQ(cuCreal(cuCdiv(a, b)), -1);
  EXPECT_EQ(cuCimag(cuCdiv(a, b)), -2);
  EXPECT_EQ(cuCimag(cuConj(a)), 4);
  EXPECT_EQ(cuCabs(a), 5);
  EXPECT_EQ(cuCrealf(cuCaddf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, 4))), 4);
  EXPECT_EQ(cuCimagf(cuCsubf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, 4))), -2);
  EXPECT_EQ(hipCimag(hipCmul(make_hipDoubleComplex(3, -4), make_hipDoubleComplex(1, 2))), 2);
  EXPECT_EQ(hipCsqabsf(make_hipComplex(3, -4)), 25);
}

} // namespace
