// Variables of the device, set and read through their symbols.
#include "check.hpp"

__device__ int offsets[4];
__constant__ int scale;
int table[64]; // of the host

__global__ void transform(int* x, int const* from) {
  int const i = threadIdx.x;
  x[i] = static_cast<int>(__bitextract_u32(0xABCDu, 4, 8)) + offsets[i % 4] * scale;
  if (from != nullptr) x[i] += from[i];
}

int main() {
  int const host[4] = {1, 2, 3, 4}, three = 3;
  int *x, result[64];
  CHECK(hipMalloc(&x, sizeof result));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(offsets), host, sizeof host));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(scale), &three, sizeof three));
#ifdef TABLE_OF_THE_HOST
  transform<<<1, 64>>>(x, table);
#else
  transform<<<1, 64>>>(x, nullptr);
#endif
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(result, x, sizeof result, hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < 64; ++i)
    right = right && result[i] == 0xBC + host[i % 4] * 3;
  CHECK(hipFree(x));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
