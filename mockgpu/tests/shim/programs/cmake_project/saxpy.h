#pragma once
#ifdef __CUDACC__
__global__ void scale(float* y, float a);
#endif
void saxpy(float* y, float const* x, float a, int count);
