#ifndef MOCKGPU_SHIM_CUCOMPLEX_H
#define MOCKGPU_SHIM_CUCOMPLEX_H
#pragma GCC system_header
/* Complex numbers of the vendors' C interface. */
#include <math.h>

#include "mockgpu/vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define MOCKGPU_COMPLEX(type, real, make, f, root)                                                 \
  static inline type make(real x, real y) {                                                        \
    type z;                                                                                        \
    z.x = x;                                                                                       \
    z.y = y;                                                                                       \
    return z;                                                                                      \
  }                                                                                                \
  static inline real cuCreal##f(type z) { return z.x; }                                            \
  static inline real cuCimag##f(type z) { return z.y; }                                            \
  static inline type cuConj##f(type z) { return make(z.x, -z.y); }                                 \
  static inline type cuCadd##f(type a, type b) { return make(a.x + b.x, a.y + b.y); }              \
  static inline type cuCsub##f(type a, type b) { return make(a.x - b.x, a.y - b.y); }              \
  static inline type cuCmul##f(type a, type b) {                                                   \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                     \
  }                                                                                                \
  static inline type cuCdiv##f(type a, type b) {                                                   \
    real const size = b.x * b.x + b.y * b.y;                                                       \
    return make((a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size);                   \
  }                                                                                                \
  static inline type cuCfma##f(type a, type b, type c) {                                           \
    return cuCadd##f(cuCmul##f(a, b), c);                                                          \
  }                                                                                                \
  static inline real cuCabs##f(type z) { return root(z.x, z.y); }
MOCKGPU_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, hypotf)
MOCKGPU_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , hypot)
#undef MOCKGPU_COMPLEX
static inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
#endif
