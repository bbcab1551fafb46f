// C = A * B by tiles in dynamic shared memory.
#include "check.hpp"

#include <vector>

template <int Tile> __global__ void multiply(float* c, float const* a, float const* b, int size) {
  extern __shared__ float tiles[];
  float* const a_tile = tiles;
  float* const b_tile = tiles + Tile * Tile;
  int const row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  int const mine = threadIdx.y * Tile + threadIdx.x;
  float sum = 0;
  for (int step = 0; step < size; step += Tile) {
    a_tile[mine] = a[row * size + step + threadIdx.x];
    b_tile[mine] = b[(step + threadIdx.y) * size + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += a_tile[threadIdx.y * Tile + k] * b_tile[k * Tile + threadIdx.x];
#ifndef WITHOUT_SECOND_BARRIER
    __syncthreads();
#endif
  }
  c[row * size + column] = sum;
}

int main() {
  constexpr int tile = 8, size = 24;
  std::size_t const bytes = size * size * sizeof(float);
#ifdef TOO_LITTLE_SHARED_MEMORY
  std::size_t const shared_bytes = tile * tile * sizeof(float);
#else
  std::size_t const shared_bytes = 2 * tile * tile * sizeof(float);
#endif
  std::vector<float> a(size * size), b(size * size), c(size * size);
  for (int i = 0; i < size * size; ++i) {
    a[i] = float(i % 7);
    b[i] = float(i % 4) - 1;
  }
  float *device_a, *device_b, *device_c;
  CHECK(hipMalloc(&device_a, bytes));
  CHECK(hipMalloc(&device_b, bytes));
  CHECK(hipMalloc(&device_c, bytes));
  CHECK(hipMemcpy(device_a, a.data(), bytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(device_b, b.data(), bytes, hipMemcpyHostToDevice));
  multiply<tile>
      <<<dim3(size / tile, size / tile), dim3(tile, tile), shared_bytes, hipStreamDefault>>>(
          device_c, device_a, device_b, size);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(c.data(), device_c, bytes, hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      float expected = 0;
      for (int k = 0; k < size; ++k) expected += a[i * size + k] * b[k * size + j];
      right = right && c[i * size + j] == expected;
    }
  CHECK(hipFree(device_a));
  CHECK(hipFree(device_b));
  CHECK(hipFree(device_c));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
