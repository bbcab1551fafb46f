#pragma once
/// \file Conflict resolution between the threads of a kernel. Compiled by nvcc or hipcc the updates
/// are the vendor's device atomics; compiled for the CPU they are the compiler's, which
/// instrumentation sees as atomic accesses of exactly the bytes of one element. Included by device
/// files only.
#include "assay/generated/reduction.hpp"

namespace assay::gen {
namespace detail {

template <std::size_t Bytes> struct word;
#if defined(__CUDACC__) || defined(__HIPCC__)
template <> struct word<4> { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };

template <class To, class From> __device__ inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

/// Compare-and-swap loop; types below four bytes go through the word that holds them.
template <class T, class Update> __device__ inline void atomic_loop(T* target, Update update) {
  if constexpr (sizeof(T) >= 4) {
    using bits_type = typename word<sizeof(T)>::type;
    auto* const address = reinterpret_cast<bits_type*>(target);
    bits_type seen = *reinterpret_cast<bits_type volatile*>(address), expected;
    do {
      expected = seen;
      seen = ::atomicCAS(address, expected, bits<bits_type>(update(bits<T>(expected))));
    } while (seen != expected);
  } else {
    auto const location = reinterpret_cast<unsigned long long>(target);
    auto* const address = reinterpret_cast<unsigned int*>(location & ~3ull);
    unsigned int const shift = 8u * static_cast<unsigned int>(location & 3ull);
    unsigned int const mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
    unsigned int seen = *reinterpret_cast<unsigned int volatile*>(address), expected;
    do {
      expected = seen;
      using part = std::conditional_t<sizeof(T) == 1, unsigned char, unsigned short>;
      auto const old = bits<T>(static_cast<part>((expected & mask) >> shift));
      auto const desired = static_cast<unsigned int>(bits<part>(update(old))) << shift;
      seen = ::atomicCAS(address, expected, (expected & ~mask) | desired);
    } while (seen != expected);
  }
}

/// The types that the vendors add in one instruction.
template <class T>
inline constexpr bool has_atomic_add =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned int> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, unsigned long long>;
#else
template <> struct word<1> { using type = unsigned char; };
template <> struct word<2> { using type = unsigned short; };
template <> struct word<4> { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };

template <class To, class From> inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <class T, class Update> inline void atomic_loop(T* target, Update update) {
  using bits_type = typename word<sizeof(T)>::type;
  auto* const address = reinterpret_cast<bits_type*>(target);
  bits_type expected = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &expected,
                                      bits<bits_type>(update(bits<T>(expected))), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
#endif

} // namespace detail

#if defined(__CUDACC__) || defined(__HIPCC__)
#define ASSAY_DEVICE_FN __device__ inline
#else
#define ASSAY_DEVICE_FN inline
#endif

/// Combines `value` into `*target`; relaxed, as the vendors' atomics are.
template <class Operator, class T>
ASSAY_DEVICE_FN void atomic_reduce(T* target, std::type_identity_t<T> value) {
  if constexpr (std::is_same_v<Operator, sum> && requires {
                  target->re;
                  target->im;
                }) {
    // The parts of a complex sum do not meet: each is a sum of its own.
    atomic_reduce<sum>(&target->re, value.re);
    atomic_reduce<sum>(&target->im, value.im);
    return;
  } else {
#if defined(__CUDACC__) || defined(__HIPCC__)
    if constexpr (std::is_same_v<Operator, sum> && detail::has_atomic_add<T>) {
      ::atomicAdd(target, value);
      return;
    }
#endif
    detail::atomic_loop(target,
                        [value](T old) { return Operator::template combine<T>(old, value); });
  }
}

/// The same with an operator of the program's own: combine(stored, value).
template <class T, class Function>
ASSAY_DEVICE_FN void atomic_reduce(T* target, std::type_identity_t<T> value, Function combine) {
  detail::atomic_loop(target,
                      [value, combine](T old) { return static_cast<T>(combine(old, value)); });
}

} // namespace assay::gen
