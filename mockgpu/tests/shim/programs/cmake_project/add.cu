#include "saxpy.h"
static __global__ void add(float* y, float const* x) { y[threadIdx.x] += x[threadIdx.x]; }
void saxpy(float* y, float const* x, float a, int count) {
  scale<<<1, count>>>(y, a);
  add<<<1, count>>>(y, x);
}
