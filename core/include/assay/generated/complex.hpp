#pragma once
/// \file Complex numbers in generated code, the same on the host and in kernels. In memory a number
/// is its real part, then its imaginary part, as in C and numpy.
#include <type_traits>

#include "assay/generated/reduction.hpp"

namespace assay::gen {

template <class T> struct complex {
  T re, im;

  complex() = default;
  ASSAY_GENERATED_FN complex(T real, T imaginary) : re(real), im(imaginary) {}
  template <class U, class = std::enable_if_t<std::is_arithmetic_v<U>>>
  ASSAY_GENERATED_FN complex(U real) : re(static_cast<T>(real)), im(0) {}
  template <class U>
  ASSAY_GENERATED_FN complex(complex<U> const& other)
      : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}
  ASSAY_GENERATED_FN complex operator-() const { return {-re, -im}; }
  ASSAY_GENERATED_FN complex operator+() const { return *this; }
};
using complex64 = complex<float>;
using complex128 = complex<double>;

namespace detail {
template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<complex<T>> = true;
template <class A, class B>
inline constexpr bool are_complex = (is_complex<A> || is_complex<B>)&&(
    is_complex<A> || std::is_arithmetic_v<A>)&&(is_complex<B> || std::is_arithmetic_v<B>);
template <class T> struct part_of { using type = T; };
template <class T> struct part_of<complex<T>> { using type = T; };
/// Only complex operands widen each other: a real factor takes the number's precision.
template <class A, class B>
using part = std::conditional_t<
    is_complex<A>,
    std::conditional_t<is_complex<B>,
                       std::common_type_t<typename part_of<A>::type, typename part_of<B>::type>,
                       typename part_of<A>::type>,
    typename part_of<B>::type>;
template <class A, class B> using result = std::enable_if_t<are_complex<A, B>, complex<part<A, B>>>;
} // namespace detail

template <class A, class B> ASSAY_GENERATED_FN detail::result<A, B> operator+(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  return {x.re + y.re, x.im + y.im};
}
template <class A, class B> ASSAY_GENERATED_FN detail::result<A, B> operator-(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  return {x.re - y.re, x.im - y.im};
}
template <class A, class B> ASSAY_GENERATED_FN detail::result<A, B> operator*(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
/// Scaled by the larger part of the divisor (Smith 1962), so that squares do not overflow.
template <class A, class B> ASSAY_GENERATED_FN detail::result<A, B> operator/(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  if (std::fabs(y.re) >= std::fabs(y.im)) {
    auto const ratio = y.im / y.re, scale = y.re + y.im * ratio;
    return {(x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale};
  }
  auto const ratio = y.re / y.im, scale = y.re * ratio + y.im;
  return {(x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale};
}
template <class A, class B>
ASSAY_GENERATED_FN std::enable_if_t<detail::are_complex<A, B>, bool> operator==(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  return x.re == y.re && x.im == y.im;
}
template <class A, class B>
ASSAY_GENERATED_FN std::enable_if_t<detail::are_complex<A, B>, bool> operator!=(A a, B b) {
  return !(a == b);
}

template <class T> ASSAY_GENERATED_FN T real(complex<T> z) { return z.re; }
template <class T> ASSAY_GENERATED_FN T imag(complex<T> z) { return z.im; }
template <class T> ASSAY_GENERATED_FN complex<T> conj(complex<T> z) { return {z.re, -z.im}; }
template <class T> ASSAY_GENERATED_FN T abs(complex<T> z) {
  return static_cast<T>(std::hypot(z.re, z.im));
}
template <class T> ASSAY_GENERATED_FN T angle(complex<T> z) {
  return static_cast<T>(std::atan2(z.im, z.re));
}
template <class T> ASSAY_GENERATED_FN complex<T> exp(complex<T> z) {
  T const scale = std::exp(z.re);
  return {scale * std::cos(z.im), scale * std::sin(z.im)};
}
template <class T> ASSAY_GENERATED_FN complex<T> log(complex<T> z) {
  return {static_cast<T>(std::log(abs(z))), angle(z)};
}
/// exp(z) - 1, exact near zero.
template <class T> ASSAY_GENERATED_FN complex<T> expm1(complex<T> z) {
  T const half_sine = std::sin(z.im / 2);
  return {std::expm1(z.re) * std::cos(z.im) - 2 * half_sine * half_sine,
          std::exp(z.re) * std::sin(z.im)};
}
/// log(1 + z). Near zero 1 + z would lose what is small; elsewhere the squares would overflow, or
/// cancel near -1.
template <class T> ASSAY_GENERATED_FN complex<T> log1p(complex<T> z) {
  T const half = static_cast<T>(0.5);
  bool const is_small = std::abs(z.re) < half && std::abs(z.im) < half;
  return {is_small ? std::log1p(z.re * (2 + z.re) + z.im * z.im) / 2
                   : std::log(std::hypot(1 + z.re, z.im)),
          std::atan2(z.im, 1 + z.re)};
}
template <class T> ASSAY_GENERATED_FN complex<T> exp2(complex<T> z) {
  return exp(z * static_cast<T>(0.693147180559945309));
}
template <class T> ASSAY_GENERATED_FN complex<T> log2(complex<T> z) {
  return log(z) * static_cast<T>(1.44269504088896341);
}
template <class T> ASSAY_GENERATED_FN complex<T> log10(complex<T> z) {
  return log(z) * static_cast<T>(0.434294481903251828);
}
template <class T> ASSAY_GENERATED_FN complex<T> sin(complex<T> z) {
  return {std::sin(z.re) * std::cosh(z.im), std::cos(z.re) * std::sinh(z.im)};
}
template <class T> ASSAY_GENERATED_FN complex<T> cos(complex<T> z) {
  return {std::cos(z.re) * std::cosh(z.im), -std::sin(z.re) * std::sinh(z.im)};
}
template <class T> ASSAY_GENERATED_FN complex<T> tan(complex<T> z) { return sin(z) / cos(z); }
template <class T> ASSAY_GENERATED_FN complex<T> sinh(complex<T> z) {
  return {std::sinh(z.re) * std::cos(z.im), std::cosh(z.re) * std::sin(z.im)};
}
template <class T> ASSAY_GENERATED_FN complex<T> cosh(complex<T> z) {
  return {std::cosh(z.re) * std::cos(z.im), std::sinh(z.re) * std::sin(z.im)};
}
/// The root with a real part that is not negative.
template <class T> ASSAY_GENERATED_FN complex<T> sqrt(complex<T> z) {
  if (z.re == 0 && z.im == 0) return {0, z.im};
  T const size = abs(z), half = std::sqrt((std::fabs(z.re) + size) / 2);
  if (z.re >= 0) return {half, z.im / (2 * half)};
  return {std::fabs(z.im) / (2 * half), std::copysign(half, z.im)};
}
template <class T> ASSAY_GENERATED_FN complex<T> tanh(complex<T> z) { return sinh(z) / cosh(z); }
template <class T> ASSAY_GENERATED_FN complex<T> asinh(complex<T> z) {
  return log(z + sqrt(z * z + 1));
}
template <class T> ASSAY_GENERATED_FN complex<T> acosh(complex<T> z) {
  return log(z + sqrt(z + 1) * sqrt(z - 1));
}
template <class T> ASSAY_GENERATED_FN complex<T> atanh(complex<T> z) {
  return (log(1 + z) - log(1 - z)) * static_cast<T>(0.5);
}
template <class T> ASSAY_GENERATED_FN complex<T> asin(complex<T> z) {
  auto const turned = asinh(complex<T>(-z.im, z.re));
  return {turned.im, -turned.re};
}
template <class T> ASSAY_GENERATED_FN complex<T> acos(complex<T> z) {
  return static_cast<T>(1.57079632679489662) - asin(z);
}
template <class T> ASSAY_GENERATED_FN complex<T> atan(complex<T> z) {
  auto const turned = atanh(complex<T>(-z.im, z.re));
  return {turned.im, -turned.re};
}
/// Whole powers by repeated multiplication.
template <class T> ASSAY_GENERATED_FN complex<T> ipow(complex<T> base, long long exponent) {
  complex<T> result(1), factor = base;
  bool const inverse = exponent < 0;
  for (unsigned long long left = inverse ? 0ull - static_cast<unsigned long long>(exponent)
                                         : static_cast<unsigned long long>(exponent);
       left != 0; left >>= 1) {
    if ((left & 1) != 0) result = result * factor;
    factor = factor * factor;
  }
  return inverse ? 1 / result : result;
}
template <class A, class B> ASSAY_GENERATED_FN detail::result<A, B> complex_pow(A a, B b) {
  detail::result<A, B> const x(a), y(b);
  if (x == 0) return detail::result<A, B>(y == 0 ? 1 : 0);
  return exp(y * log(x));
}

/// Each part to the nearest whole number, halves to the even neighbour.
template <class T> ASSAY_GENERATED_FN complex<T> rint(complex<T> z) {
  return {std::rint(z.re), std::rint(z.im)};
}
template <class T> ASSAY_GENERATED_FN bool isnan(complex<T> z) {
  return isnan(z.re) || isnan(z.im);
}
template <class T> ASSAY_GENERATED_FN bool isinf(complex<T> z) {
  return isinf(z.re) || isinf(z.im);
}
template <class T> ASSAY_GENERATED_FN bool isfinite(complex<T> z) {
  return isfinite(z.re) && isfinite(z.im);
}

} // namespace assay::gen
