#ifndef MOCKGPU_SHIM_COMPLEX_H
#define MOCKGPU_SHIM_COMPLEX_H
#pragma GCC system_header
/* Complex numbers of the vendors' C interfaces, which differ in their prefix. */
#include <math.h>

#include "mockgpu/vector_types.h"

/* `f` ends the names for single precision. */
#define MOCKGPU_COMPLEX(gpu, type, real, f, root)                                                  \
  static inline type make_##type(real x, real y) {                                                 \
    type z;                                                                                        \
    z.x = x;                                                                                       \
    z.y = y;                                                                                       \
    return z;                                                                                      \
  }                                                                                                \
  static inline real gpu##Creal##f(type z) { return z.x; }                                         \
  static inline real gpu##Cimag##f(type z) { return z.y; }                                         \
  static inline type gpu##Conj##f(type z) { return make_##type(z.x, -z.y); }                       \
  static inline type gpu##Cadd##f(type a, type b) { return make_##type(a.x + b.x, a.y + b.y); }    \
  static inline type gpu##Csub##f(type a, type b) { return make_##type(a.x - b.x, a.y - b.y); }    \
  static inline type gpu##Cmul##f(type a, type b) {                                                \
    return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                              \
  }                                                                                                \
  static inline type gpu##Cdiv##f(type a, type b) {                                                \
    real const size = b.x * b.x + b.y * b.y;                                                       \
    return make_##type((a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size);            \
  }                                                                                                \
  static inline type gpu##Cfma##f(type a, type b, type c) {                                        \
    return gpu##Cadd##f(gpu##Cmul##f(a, b), c);                                                    \
  }                                                                                                \
  static inline real gpu##Cabs##f(type z) { return root(z.x, z.y); }

/* Both precisions of a vendor, whose single one has a short name. */
#define MOCKGPU_COMPLEX_NUMBERS(gpu)                                                               \
  typedef float2 gpu##FloatComplex;                                                                \
  typedef double2 gpu##DoubleComplex;                                                              \
  typedef gpu##FloatComplex gpu##Complex;                                                          \
  MOCKGPU_COMPLEX(gpu, gpu##FloatComplex, float, f, hypotf)                                        \
  MOCKGPU_COMPLEX(gpu, gpu##DoubleComplex, double, , hypot)                                        \
  static inline gpu##Complex make_##gpu##Complex(float x, float y) {                               \
    return make_##gpu##FloatComplex(x, y);                                                         \
  }                                                                                                \
  static inline gpu##DoubleComplex gpu##ComplexFloatToDouble(gpu##FloatComplex z) {                \
    return make_##gpu##DoubleComplex(z.x, z.y);                                                    \
  }                                                                                                \
  static inline gpu##FloatComplex gpu##ComplexDoubleToFloat(gpu##DoubleComplex z) {                \
    return make_##gpu##FloatComplex((float)z.x, (float)z.y);                                       \
  }
#endif
