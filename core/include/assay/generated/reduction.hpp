#pragma once
/// \file Conflict resolution: how a new value is combined with the one that is stored.
#include "assay/generated/math.hpp"

namespace assay::gen {

// One type per operator, so that the plain and the atomic forms share it.
struct sum {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return static_cast<T>(a + b); }
};
struct product {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return static_cast<T>(a * b); }
};
struct minimum {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return b < a ? b : a; }
};
struct maximum {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return a < b ? b : a; }
};
struct logical_and {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) {
    return static_cast<T>(a && b);
  }
};
struct logical_or {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) {
    return static_cast<T>(a || b);
  }
};
struct bitwise_and {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return static_cast<T>(a & b); }
};
struct bitwise_or {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return static_cast<T>(a | b); }
};
struct bitwise_xor {
  template <class T> ASSAY_GENERATED_FN static T combine(T a, T b) { return static_cast<T>(a ^ b); }
};

/// Plain read, combine, write: for one thread alone.
template <class Operator, class T>
ASSAY_GENERATED_FN void reduce(T* target, std::type_identity_t<T> value) {
  *target = Operator::template combine<T>(*target, value);
}
/// The same with an operator of the program's own.
template <class T, class Function>
ASSAY_GENERATED_FN void reduce(T* target, std::type_identity_t<T> value, Function combine) {
  *target = static_cast<T>(combine(*target, value));
}

} // namespace assay::gen
