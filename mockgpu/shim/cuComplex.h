#ifndef MOCKGPU_SHIM_CUCOMPLEX_H
#define MOCKGPU_SHIM_CUCOMPLEX_H
#pragma GCC system_header
#include "mockgpu/complex.h"
MOCKGPU_COMPLEX_NUMBERS(cu)
#endif
