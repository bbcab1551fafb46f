#ifndef MOCKGPU_SHIM_DRIVER_TYPES_H
#define MOCKGPU_SHIM_DRIVER_TYPES_H
#pragma GCC system_header
/* A part of the runtime's header that programs may include by itself. */
#include "cuda_runtime_api.h"
#endif
