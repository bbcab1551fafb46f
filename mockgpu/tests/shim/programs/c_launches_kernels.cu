#include <cooperative_groups.h>

__global__ void scale(int* x, int factor) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = factor * int(i);
}
__global__ void meet(int* x, int) {
  if (blockIdx.x == 0) x[threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 1) x[threadIdx.x] += 1;
}
extern "C" void const* entry_of_scale() { return reinterpret_cast<void const*>(&scale); }
extern "C" void const* entry_of_meet() { return reinterpret_cast<void const*>(&meet); }
