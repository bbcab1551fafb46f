#pragma once
/// \file Arithmetic that generated code needs and C++ lacks: Python's integer division and
/// remainder, powers, true division, and the symbolic functions of SDFG sizes. Usable in kernels
/// and in host code.
#include <cmath>
#include <type_traits>

#if defined(__CUDACC__) || defined(__HIPCC__)
/// Marks a function that both the host and a kernel call.
#define ASSAY_GENERATED_FN __host__ __device__ inline
#else
#define ASSAY_GENERATED_FN inline
#endif

namespace assay::gen {

/// float stays float, every other arithmetic type computes in double.
template <class T> using floating_of = std::conditional_t<std::is_same_v<T, float>, float, double>;
/// The type in which a function of two arguments computes.
template <class A, class B> using common_floating = floating_of<std::common_type_t<A, B>>;

// ---- integers
// ------------------------------------------------------------------------------------------

/// Quotient rounded towards minus infinity (Python's `//`); for floating operands floor(a / b).
template <class A, class B> ASSAY_GENERATED_FN auto int_floor(A a, B b) {
  using type = decltype(a / b);
  if constexpr (std::is_floating_point_v<type>) {
    return static_cast<type>(std::floor(static_cast<type>(a) / static_cast<type>(b)));
  } else {
    type const x = static_cast<type>(a), y = static_cast<type>(b), quotient = x / y;
    return static_cast<type>(quotient - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0));
  }
}

/// Quotient rounded towards plus infinity.
template <class A, class B> ASSAY_GENERATED_FN auto int_ceil(A a, B b) {
  using type = decltype(a / b);
  if constexpr (std::is_floating_point_v<type>) {
    return static_cast<type>(std::ceil(static_cast<type>(a) / static_cast<type>(b)));
  } else {
    type const x = static_cast<type>(a), y = static_cast<type>(b), quotient = x / y;
    return static_cast<type>(quotient + ((x % y != 0 && (x < 0) == (y < 0)) ? 1 : 0));
  }
}

/// Remainder with the sign of the divisor (Python's `%`), also for floating operands.
template <class A, class B> ASSAY_GENERATED_FN auto mod(A a, B b) {
  using type = decltype(a / b);
  type const x = static_cast<type>(a), y = static_cast<type>(b);
  if constexpr (std::is_floating_point_v<type>) {
    type const remainder = std::fmod(x, y);
    if (remainder == 0) return std::copysign(remainder, y);
    return (remainder < 0) != (y < 0) ? remainder + y : remainder;
  } else {
    type const remainder = x % y;
    return static_cast<type>((remainder != 0 && (remainder < 0) != (y < 0)) ? remainder + y
                                                                            : remainder);
  }
}

/// Remainder with the sign of the dividend (C's `%` and fmod).
template <class A, class B> ASSAY_GENERATED_FN auto truncated_mod(A a, B b) {
  using type = decltype(a / b);
  if constexpr (std::is_floating_point_v<type>)
    return std::fmod(static_cast<type>(a), static_cast<type>(b));
  else
    return static_cast<type>(a) % static_cast<type>(b);
}

/// Python's `/`: integers divide as double.
template <class A, class B> ASSAY_GENERATED_FN auto true_div(A a, B b) {
  using type = common_floating<A, B>;
  return static_cast<type>(a) / static_cast<type>(b);
}

/// Integer power by repeated squaring; a negative exponent gives 1 / power in the base's type.
template <class T> ASSAY_GENERATED_FN auto ipow(T base, long long exponent) {
  using type = decltype(base * base);
  type result = 1, factor = base;
  bool const inverse = exponent < 0;
  for (unsigned long long left = inverse ? 0ull - static_cast<unsigned long long>(exponent)
                                         : static_cast<unsigned long long>(exponent);
       left != 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    if (left > 1) factor *= factor;
  }
  return inverse ? static_cast<type>(type(1) / result) : result;
}

/// Python's `**`: integers stay integers (see ipow), everything else is floating.
template <class A, class B> ASSAY_GENERATED_FN auto pow(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return ipow(static_cast<decltype(a / b)>(a), static_cast<long long>(b));
  } else {
    using type = common_floating<A, B>;
    return static_cast<type>(std::pow(static_cast<type>(a), static_cast<type>(b)));
  }
}

template <class T> ASSAY_GENERATED_FN auto abs(T value) {
  using type = decltype(+value);
  if constexpr (std::is_floating_point_v<type>) {
    return static_cast<type>(std::fabs(value));
  } else {
    return value < 0 ? static_cast<type>(-value) : static_cast<type>(value);
  }
}

/// The smaller value; the first one where they are equal or unordered, as Python's `min`.
template <class A, class B> ASSAY_GENERATED_FN auto min(A a, B b) {
  using type = std::common_type_t<A, B>;
  return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b) : static_cast<type>(a);
}
template <class A, class B, class C, class... Rest>
ASSAY_GENERATED_FN auto min(A a, B b, C c, Rest... rest) {
  return min(min(a, b), c, rest...);
}
/// The larger value; the first one where they are equal or unordered, as Python's `max`.
template <class A, class B> ASSAY_GENERATED_FN auto max(A a, B b) {
  using type = std::common_type_t<A, B>;
  return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b) : static_cast<type>(a);
}
template <class A, class B, class C, class... Rest>
ASSAY_GENERATED_FN auto max(A a, B b, C c, Rest... rest) {
  return max(max(a, b), c, rest...);
}

/// The greatest common divisor, never negative.
template <class A, class B> ASSAY_GENERATED_FN auto gcd(A a, B b) {
  auto x = abs(static_cast<decltype(a % b)>(a)), y = abs(static_cast<decltype(a % b)>(b));
  while (y != 0) {
    auto const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
/// The least common multiple; 0 where one is 0.
template <class A, class B> ASSAY_GENERATED_FN auto lcm(A a, B b) {
  auto const divisor = gcd(a, b);
  return divisor == 0 ? divisor
                      : abs(static_cast<decltype(a % b)>(a)) / divisor *
                            abs(static_cast<decltype(a % b)>(b));
}

/// -1, 0 or 1 in the argument's type.
template <class T> ASSAY_GENERATED_FN auto sign(T value) {
  using type = decltype(+value);
  return static_cast<type>((value > 0) - (value < 0));
}

// ---- ranges
// --------------------------------------------------------------------------------------------

/// Iterations of `begin, begin + step, ...` up to and including `end`; never negative.
ASSAY_GENERATED_FN long long range_count(long long begin, long long end, long long step) {
  long long const count = int_floor(end - begin, step) + 1;
  return count > 0 ? count : 0;
}

/// Blocks of `block` threads that cover `count` threads.
ASSAY_GENERATED_FN long long block_count(long long count, long long block) {
  return (count + block - 1) / block;
}

/// The same, or `most` where a grid cannot have as many: its blocks take turns then.
ASSAY_GENERATED_FN long long block_count(long long count, long long block, long long most) {
  long long const all = block_count(count, block);
  return all < most ? all : most;
}

// ---- floating values and functions
// --------------------------------------------------------------------------------

#define ASSAY_GENERATED_UNARY(name)                                                                \
  template <class T> ASSAY_GENERATED_FN auto name(T value) {                                       \
    return static_cast<floating_of<T>>(std::name(static_cast<floating_of<T>>(value)));             \
  }
ASSAY_GENERATED_UNARY(sqrt)
ASSAY_GENERATED_UNARY(cbrt)
ASSAY_GENERATED_UNARY(exp)
ASSAY_GENERATED_UNARY(exp2)
ASSAY_GENERATED_UNARY(expm1)
ASSAY_GENERATED_UNARY(log)
ASSAY_GENERATED_UNARY(log2)
ASSAY_GENERATED_UNARY(log10)
ASSAY_GENERATED_UNARY(log1p)
ASSAY_GENERATED_UNARY(sin)
ASSAY_GENERATED_UNARY(cos)
ASSAY_GENERATED_UNARY(tan)
ASSAY_GENERATED_UNARY(asin)
ASSAY_GENERATED_UNARY(acos)
ASSAY_GENERATED_UNARY(atan)
ASSAY_GENERATED_UNARY(sinh)
ASSAY_GENERATED_UNARY(cosh)
ASSAY_GENERATED_UNARY(tanh)
ASSAY_GENERATED_UNARY(asinh)
ASSAY_GENERATED_UNARY(acosh)
ASSAY_GENERATED_UNARY(atanh)
ASSAY_GENERATED_UNARY(floor)
ASSAY_GENERATED_UNARY(ceil)
ASSAY_GENERATED_UNARY(trunc)
ASSAY_GENERATED_UNARY(rint) ///< halves go to the even neighbour, as Python's `round`
ASSAY_GENERATED_UNARY(fabs)
ASSAY_GENERATED_UNARY(erf)
ASSAY_GENERATED_UNARY(erfc)
ASSAY_GENERATED_UNARY(tgamma)
ASSAY_GENERATED_UNARY(lgamma)
#undef ASSAY_GENERATED_UNARY

#define ASSAY_GENERATED_BINARY(name)                                                               \
  template <class A, class B> ASSAY_GENERATED_FN auto name(A a, B b) {                             \
    using type = common_floating<A, B>;                                                            \
    return static_cast<type>(std::name(static_cast<type>(a), static_cast<type>(b)));               \
  }
ASSAY_GENERATED_BINARY(atan2)
ASSAY_GENERATED_BINARY(hypot)
ASSAY_GENERATED_BINARY(fmod)
ASSAY_GENERATED_BINARY(copysign)
ASSAY_GENERATED_BINARY(fmin)
ASSAY_GENERATED_BINARY(fmax)
ASSAY_GENERATED_BINARY(nextafter)
#undef ASSAY_GENERATED_BINARY

/// a times 2 to the power of b.
template <class A, class B> ASSAY_GENERATED_FN auto ldexp(A a, B b) {
  return static_cast<floating_of<A>>(
      std::ldexp(static_cast<floating_of<A>>(a), static_cast<int>(b)));
}
/// What `modf` leaves beside the whole part, with the sign of the value; 0 of an infinite one.
template <class T> ASSAY_GENERATED_FN auto modf_fraction(T value) {
  using type = floating_of<T>;
  type whole;
  return static_cast<type>(std::modf(static_cast<type>(value), &whole));
}
template <class T> ASSAY_GENERATED_FN auto frexp_mantissa(T value) {
  using type = floating_of<T>;
  int exponent;
  return static_cast<type>(std::frexp(static_cast<type>(value), &exponent));
}
template <class T> ASSAY_GENERATED_FN int frexp_exponent(T value) {
  int exponent = 0;
  static_cast<void>(std::frexp(static_cast<floating_of<T>>(value), &exponent));
  return exponent;
}
template <class T> ASSAY_GENERATED_FN bool signbit(T value) {
  return std::copysign(1.0, static_cast<double>(value)) < 0;
}

template <class T> ASSAY_GENERATED_FN T nan() { return static_cast<T>(NAN); }
template <class T> ASSAY_GENERATED_FN T infinity() { return static_cast<T>(INFINITY); }

template <class T> ASSAY_GENERATED_FN bool isnan(T value) { return value != value; }
template <class T> ASSAY_GENERATED_FN bool isfinite(T value) { return value - value == 0; }
template <class T> ASSAY_GENERATED_FN bool isinf(T value) {
  return !isnan(value) && !isfinite(value);
}

} // namespace assay::gen
