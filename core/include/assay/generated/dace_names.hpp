#pragma once
/// \file Names of DaCe's runtime that C++ code in SDFG files uses, in terms of ours. Included where
/// the text mentions one of them.
#include <limits>

#include "assay/generated/atomic.hpp"
#include "assay/generated/complex.hpp"
#include "assay/generated/half.hpp"
#include "assay/generated/math.hpp"
#include "assay/generated/reduction.hpp"

#define DACE_EXPORTED extern "C"
/// Records the status of a runtime call of C++ code, where the program's state is in scope.
#define DACE_GPU_CHECK(status) static_cast<void>(__state->gpu_context->ok(status))

namespace dace {

enum class ReductionType {
  Sum,
  Product,
  Min,
  Max,
  Logical_And,
  Logical_Or,
  Bitwise_And,
  Bitwise_Or,
  Bitwise_Xor
};

/// A conflict resolution as a function of two values.
template <ReductionType Kind, class T> struct wcr_operator;
#define ASSAY_WCR_OPERATOR(kind, operation)                                                        \
  template <class T> struct wcr_operator<ReductionType::kind, T> {                                 \
    ASSAY_GENERATED_FN T operator()(T const& a, T const& b) const {                                \
      return assay::gen::operation::template combine<T>(a, b);                                     \
    }                                                                                              \
  };
ASSAY_WCR_OPERATOR(Sum, sum)
ASSAY_WCR_OPERATOR(Product, product)
ASSAY_WCR_OPERATOR(Min, minimum)
ASSAY_WCR_OPERATOR(Max, maximum)
ASSAY_WCR_OPERATOR(Logical_And, logical_and)
ASSAY_WCR_OPERATOR(Logical_Or, logical_or)
ASSAY_WCR_OPERATOR(Bitwise_And, bitwise_and)
ASSAY_WCR_OPERATOR(Bitwise_Or, bitwise_or)
ASSAY_WCR_OPERATOR(Bitwise_Xor, bitwise_xor)
#undef ASSAY_WCR_OPERATOR
template <ReductionType Kind, class T> using _wcr_fixed = wcr_operator<Kind, T>;
/// The same on memory.
template <ReductionType Kind, class T> struct wcr_fixed {
  ASSAY_GENERATED_FN static void reduce(T* target, T value) {
    assay::gen::reduce(target, value, wcr_operator<Kind, T>());
  }
  ASSAY_GENERATED_FN static void reduce_atomic(T* target, T value) {
    assay::gen::atomic_reduce(target, value, wcr_operator<Kind, T>());
  }
};

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;
using half = assay::gen::half;
using float16 = half;
using complex64 = assay::gen::complex64;
using complex128 = assay::gen::complex128;

namespace math {
using assay::gen::abs;
using assay::gen::ipow;
using assay::gen::mod;
using assay::gen::pow;
using assay::gen::sign;
#define ASSAY_DACE_FUNCTION(name)                                                                  \
  template <class T> ASSAY_GENERATED_FN T name(T x) { return std::name(x); }
ASSAY_DACE_FUNCTION(exp)
ASSAY_DACE_FUNCTION(log)
ASSAY_DACE_FUNCTION(sqrt)
ASSAY_DACE_FUNCTION(sin)
ASSAY_DACE_FUNCTION(cos)
ASSAY_DACE_FUNCTION(tan)
ASSAY_DACE_FUNCTION(asin)
ASSAY_DACE_FUNCTION(acos)
ASSAY_DACE_FUNCTION(atan)
ASSAY_DACE_FUNCTION(sinh)
ASSAY_DACE_FUNCTION(cosh)
ASSAY_DACE_FUNCTION(tanh)
ASSAY_DACE_FUNCTION(floor)
ASSAY_DACE_FUNCTION(ceil)
ASSAY_DACE_FUNCTION(cbrt)
ASSAY_DACE_FUNCTION(exp2)
ASSAY_DACE_FUNCTION(expm1)
ASSAY_DACE_FUNCTION(log2)
ASSAY_DACE_FUNCTION(log10)
ASSAY_DACE_FUNCTION(log1p)
ASSAY_DACE_FUNCTION(round)
#undef ASSAY_DACE_FUNCTION
} // namespace math

} // namespace dace

template <> class std::numeric_limits<assay::gen::half> {
public:
  static constexpr bool is_specialized = true;
  ASSAY_GENERATED_FN static assay::gen::half max() { return 65504.0f; }
  ASSAY_GENERATED_FN static assay::gen::half lowest() { return -65504.0f; }
  ASSAY_GENERATED_FN static assay::gen::half min() { return 6.103515625e-05f; }
  ASSAY_GENERATED_FN static assay::gen::half epsilon() { return 9.765625e-04f; }
  ASSAY_GENERATED_FN static assay::gen::half infinity() {
    return std::numeric_limits<float>::infinity();
  }
};

template <class A, class B> ASSAY_GENERATED_FN auto int_ceil(A a, B b) {
  return assay::gen::int_ceil(a, b);
}
template <class A, class B> ASSAY_GENERATED_FN auto int_floor(A a, B b) {
  return assay::gen::int_floor(a, b);
}
template <class A, class B> ASSAY_GENERATED_FN auto Min(A a, B b) { return assay::gen::min(a, b); }
template <class A, class B> ASSAY_GENERATED_FN auto Max(A a, B b) { return assay::gen::max(a, b); }
