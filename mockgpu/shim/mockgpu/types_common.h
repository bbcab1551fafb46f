#ifndef MOCKGPU_SHIM_TYPES_COMMON_H
#define MOCKGPU_SHIM_TYPES_COMMON_H
#pragma GCC system_header
/* Types that CUDA and HIP spell alike. */
#include <stddef.h>

#include "mockgpu/vector_types.h"

#ifdef __cplusplus
namespace mockgpu_shim {
  struct grid_size; /* blockDim and gridDim */
}
#endif
struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr dim3(mockgpu_shim::grid_size const& v);
  constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#ifdef __cplusplus
#define MOCKGPU_DEFAULT(value) = value
#else
#define MOCKGPU_DEFAULT(value)
#endif
#endif
