#ifndef MOCKGPU_SHIM_VECTOR_FUNCTIONS_H
#define MOCKGPU_SHIM_VECTOR_FUNCTIONS_H
#pragma GCC system_header
/* A part of the runtime's header that programs may include by itself. */
#include "cuda_runtime.h"
#endif
