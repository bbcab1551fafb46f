// Arithmetic of short formats, directed rounding and conversions, against results in a wider format
// that are rounded once, by search.
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "hip/hip_complex.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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

TEST(DirectedRounding, EnclosesTheExactResultBetweenNeighbours) {
  std::mt19937_64 random(13);
  unsigned inexact = 0;
  auto const next = [&] { return std::ldexp(double(std::int64_t(random() >> 11)) - 0x1p52, -40); };
  auto const enclose = [&](double down, double up, double zero, wide exact, char const* what) {
    EXPECT_LE(wide(down), exact) << what;
    EXPECT_GE(wide(up), exact) << what;
    if (wide(down) != exact) {
      ++inexact;
      EXPECT_EQ(up, std::nextafter(down, INFINITY)) << what;
    }
    EXPECT_EQ(zero, exact < 0 ? up : down) << what;
  };
#define ENCLOSE(name, exact, ...)                                                                  \
  enclose(name##_rd(__VA_ARGS__), name##_ru(__VA_ARGS__), name##_rz(__VA_ARGS__), exact, #name);
  for (int i = 0; i < 5000; ++i) {
    double const a = next(), b = next();
    wide const x = a, y = b;
    ENCLOSE(__dadd, x + y, a, b)
    ENCLOSE(__dsub, x - y, a, b)
    ENCLOSE(__dmul, x * y, a, b)
    ENCLOSE(__ddiv, x / y, a, b)
    ENCLOSE(__drcp, 1 / x, a)
    std::int64_t const integer = std::int64_t(random());
    ENCLOSE(__ll2double, wide(integer), integer)
    ENCLOSE(__ull2double, wide(std::uint64_t(integer)), std::uint64_t(integer))
  }
#undef ENCLOSE
  EXPECT_GT(inexact, 20000u);
  EXPECT_LT(__dsqrt_rd(2.0), __dsqrt_ru(2.0));
  EXPECT_EQ(__fma_ru(1.0, 1.0, 0x1p-80), 1 + 0x1p-52);
}

template <class Half, class Down, class Up, class Zero>
void enclose_halves(Down down, Up up, Zero zero) {
  std::mt19937_64 random(17);
  unsigned inexact = 0;
  for (int i = 0; i < 20000; ++i) {
    auto const value = std::int64_t(random()) >> (random() % 63);
    Half const below = down(value), above = up(value);
    EXPECT_LE(wide(float(below)), value);
    EXPECT_GE(wide(float(above)), value);
    EXPECT_EQ(zero(value).bits, (value < 0 ? above : below).bits);
    if (wide(float(below)) == value) continue;
    ++inexact;
    EXPECT_EQ(above.bits, value < 0 ? below.bits - 1 : below.bits + 1) << value;
  }
  EXPECT_GT(inexact, 10000u);
}

TEST(HalfPrecision, RoundsIntegersAsItIsTold) {
  enclose_halves<__half>([](std::int64_t v) { return __ll2half_rd(v); },
                         [](std::int64_t v) { return __ll2half_ru(v); },
                         [](std::int64_t v) { return __ll2half_rz(v); });
  EXPECT_EQ(__half2int_rn(__half(2.5f)), 2);
  EXPECT_EQ(__half2uint_ru(__half(-1.5f)), 0u);
  EXPECT_EQ(__half2short_rz(__half(60000.0f)), 32767);
  EXPECT_EQ(float(__float2half_rd(-1e-30f)), -0x1p-24f);
}
TEST(Bfloat16, RoundsIntegersAsItIsTold) {
  enclose_halves<__nv_bfloat16>([](std::int64_t v) { return __ll2bfloat16_rd(v); },
                                [](std::int64_t v) { return __ll2bfloat16_ru(v); },
                                [](std::int64_t v) { return __ll2bfloat16_rz(v); });
  EXPECT_EQ(__bfloat162ull_rz(__nv_bfloat16(0x1p63f)), std::uint64_t{1} << 63);
}

template <class Half> void keep_signs_and_numbers(Half (*narrow)(double)) {
  for (double const tiny : {1e-50, 1e-300, 5e-324}) {
    EXPECT_EQ(float(narrow(tiny)), 0) << tiny;
    EXPECT_EQ(float(narrow(-tiny)), 0) << tiny;
    EXPECT_TRUE(std::signbit(float(narrow(-tiny)))) << tiny;
  }
  EXPECT_TRUE(std::isnan(float(narrow(NAN))));
}
TEST(HalfPrecision, KeepsWhatIsTooSmallAndWhatIsNoNumber) {
  keep_signs_and_numbers<__half>([](double value) { return __double2half(value); });
  EXPECT_TRUE(__hisnan(__float2half_rd(NAN)));
  EXPECT_TRUE(__hisnan(__float2half_rz(NAN)));
  EXPECT_EQ(__half2char_rz(__half(NAN)), 0);
  EXPECT_EQ(__half2char_rz(__half(-200.0f)), -128);
  EXPECT_EQ(__half2char_rz(__half(3.9f)), 3);
  EXPECT_EQ(__half2uchar_rz(__half(NAN)), 0);
  EXPECT_EQ(__half2uchar_rz(__half(300.0f)), 255);
}
TEST(Bfloat16, KeepsWhatIsTooSmallAndWhatIsNoNumber) {
  keep_signs_and_numbers<__nv_bfloat16>([](double value) { return __double2bfloat16(value); });
}

TEST(HalfPrecision, ComparesPairsByHalfAndAsAWhole) {
  __half2 const a = __floats2half2_rn(1, NAN), b = __floats2half2_rn(1, 2);
  EXPECT_TRUE(__heq2(a, b) == __floats2half2_rn(1, 0));
  EXPECT_TRUE(__hequ2(a, b) == __floats2half2_rn(1, 1));
  EXPECT_EQ(__heq2_mask(a, b), 0xFFFFu);
  EXPECT_FALSE(__hbeq2(a, b));
  EXPECT_TRUE(__hne2(a, b) == __floats2half2_rn(0, 0)) << "no number differs from none";
  EXPECT_TRUE(__hneu2(a, b) == __floats2half2_rn(0, 1));
  EXPECT_TRUE(__hne(a.x, b.y));
  EXPECT_TRUE(__hbequ2(a, b));
  EXPECT_TRUE(__hisnan(__hmax_nan(a.y, b.y)));
  EXPECT_EQ(float(__hmax(a.y, b.y)), 2);
  EXPECT_TRUE(h2floor(__floats2half2_rn(-1.5f, 1.5f)) == __floats2half2_rn(-2, 1));
}

// Each lane by itself, from the definition of the lane's operation.
template <class Lane, class Expected>
void compare_lanes(unsigned (*found)(unsigned, unsigned), Expected expected, char const* what) {
  std::mt19937 random(19);
  for (int i = 0; i < 2000; ++i) {
    unsigned const a = random(), b = i % 3 == 0 ? a ^ random() % 4 : random();
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Lane))
      EXPECT_EQ(Lane(found(a, b) >> shift), Lane(expected(Lane(a >> shift), Lane(b >> shift))))
          << what << " " << a << " " << b << " " << shift;
  }
}

TEST(PackedIntegers, WorkLaneByLane) {
  auto const clamp = [](int value, int low, int high) {
    return std::min(std::max(value, low), high);
  };
#define LANES(name, Lane, expression)                                                              \
  compare_lanes<Lane>([](unsigned a, unsigned b) { return name(a, b); },                           \
                      [&](int x, int y) { return expression; }, #name)
  LANES(__vadd4, std::int8_t, x + y);
  LANES(__vsub2, std::int16_t, x - y);
  LANES(__vaddss2, std::int16_t, clamp(x + y, -32768, 32767));
  LANES(__vsubus4, std::uint8_t, clamp(x - y, 0, 255));
  LANES(__vaddus2, std::uint16_t, clamp(x + y, 0, 65535));
  LANES(__vabsdiffs4, std::int8_t, std::abs(x - y));
  LANES(__vabsdiffu2, std::uint16_t, std::abs(x - y));
  LANES(__vavgs4, std::int8_t, std::round((x + y) / 2.0));
  LANES(__vavgu2, std::uint16_t, std::ceil((x + y) / 2.0));
  LANES(__vhaddu4, std::uint8_t, (x + y) / 2);
  LANES(__vmaxs2, std::int16_t, std::max(x, y));
  LANES(__vminu4, std::uint8_t, std::min(x, y));
  LANES(__vcmpgts4, std::int8_t, x > y ? -1 : 0);
  LANES(__vsetleu2, std::uint16_t, x <= y);
#undef LANES
  EXPECT_EQ(__vnegss2(0x80000001u), 0x7FFFFFFFu);
  EXPECT_EQ(__vabs4(0x80FF0102u), 0x80010102u);
  EXPECT_EQ(__vsadu4(0x010203FFu, 0x02020300u), 256u);
  EXPECT_EQ(__dp4a(0x010203FF, 0x04030201, 10), 10 + 4 + 6 + 6 - 1);
  EXPECT_EQ(__dp4a(0x010203FFu, 0x04030201u, 10u), 10u + 4 + 6 + 6 + 255);
  EXPECT_EQ(__dp2a_hi(0x0002FFFF, 0x0304007F, 0), 3 * 2 - 4);
  EXPECT_EQ(__funnelshift_rc(1, 2, 40), 2u);
}

TEST(SpecialFunctions, InvertEachOther) {
  for (double const y : {1.0, 0.9999999, 0.5, 1e-3, 1e-50, 1e-300})
    EXPECT_NEAR(erfc(erfcinv(y)) / y, 1, 1e-12) << y;
  for (double const y : {1e-300, 1e-7, 0.3, -0.9, 0.999999})
    EXPECT_NEAR(erf(erfinv(y)) / y, 1, 1e-12) << y;
  EXPECT_EQ(erfcinv(1.0), 0.0);
  EXPECT_EQ(erfinv(-1.0), -INFINITY);
  EXPECT_TRUE(std::isnan(erfcinv(2.1)));
  EXPECT_NEAR(normcdf(normcdfinv(0.975)), 0.975, 1e-12);
  EXPECT_NEAR(cyl_bessel_i0(1.0), std::cyl_bessel_i(0.0, 1.0), 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(-2.5), -std::cyl_bessel_i(1.0, 2.5), 1e-13);
  double const values[] = {2, 3, 6};
  EXPECT_EQ(norm(3, values), 7);
  EXPECT_FLOAT_EQ(norm4df(1e20f, 0, 0, 1e20f), std::sqrt(2.0f) * 1e20f);
  EXPECT_NEAR(erfcx(24.999) / erfcx(25.001), 25.001 / 24.999, 1e-6);
  EXPECT_NEAR(erfcxf(30), 0.0187959, 1e-7);
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
