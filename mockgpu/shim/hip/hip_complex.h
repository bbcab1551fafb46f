#ifndef MOCKGPU_SHIM_HIP_COMPLEX_H
#define MOCKGPU_SHIM_HIP_COMPLEX_H
#pragma GCC system_header
#include "mockgpu/complex.h"
MOCKGPU_COMPLEX_NUMBERS(hip)

static inline float hipCsqabsf(hipFloatComplex z) { return z.x * z.x + z.y * z.y; }
static inline double hipCsqabs(hipDoubleComplex z) { return z.x * z.x + z.y * z.y; }
#endif
