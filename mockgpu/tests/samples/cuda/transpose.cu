// A transpose through a padded tile, between pitched arrays.
#include "check.hpp"

#include <vector>

constexpr int tile = 16, rows_per_block = 4;

__global__ void transpose(float* out, float const* in, int width, int height) {
  __shared__ float part[tile * (tile + 1)];
  int const pitch = tile + 1;
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows_per_block)
    part[(threadIdx.y + j) * pitch + threadIdx.x] = in[(y + j) * width + x];
#ifndef WITHOUT_BARRIER
  __syncthreads();
#endif
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows_per_block)
    out[(y + j) * height + x] = part[threadIdx.x * pitch + threadIdx.y + j];
}

int main() {
  int const width = 48, height = 32;
  std::size_t const bytes = width * height * sizeof(float);
  std::vector<float> host(width * height), result(width * height);
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = float(i);
  float *in, *out;
  CHECK(cudaMalloc((void**)&in, bytes));
  CHECK(cudaMalloc((void**)&out, bytes));
  CHECK(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice));
  transpose<<<dim3(width / tile, height / tile), dim3(tile, rows_per_block)>>>(out, in, width,
                                                                               height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2D(result.data(), height * sizeof(float), out, height * sizeof(float),
                     height * sizeof(float), width, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j)
      right = right && result[j * height + i] == host[i * width + j];
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
