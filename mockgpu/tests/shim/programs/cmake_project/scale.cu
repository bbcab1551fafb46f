#include "saxpy.h"
__global__ void scale(float* y, float a) { y[threadIdx.x] *= a; }
