// C = A * B by tiles in shared memory, in the form of the vendors' first sample.
#include "check.hpp"

#include <vector>

constexpr int tile = 8;

__global__ void multiply(float* c, float const* a, float const* b, int size) {
  __shared__ float a_tile[tile][tile];
  __shared__ float b_tile[tile][tile];
  int const row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int step = 0; step < size / tile; ++step) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * size + step * tile + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(step * tile + threadIdx.y) * size + column];
#ifndef WITHOUT_FIRST_BARRIER
    __syncthreads();
#endif
    for (int k = 0; k < tile; ++k)
      sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
#ifndef WITHOUT_SECOND_BARRIER
    __syncthreads();
#endif
  }
#ifdef ONE_ROW_TOO_FAR
  c[(row + tile) * size + column] = sum;
#else
  c[row * size + column] = sum;
#endif
}

int main() {
  int const size = 32;
  std::size_t const bytes = size * size * sizeof(float);
  std::vector<float> a(size * size), b(size * size), c(size * size);
  for (int i = 0; i < size * size; ++i) {
    a[i] = float(i % 5);
    b[i] = float(i % 3) - 1;
  }
  float *device_a, *device_b, *device_c;
  CHECK(cudaMalloc(&device_a, bytes));
  CHECK(cudaMalloc(&device_b, bytes));
  CHECK(cudaMalloc(&device_c, bytes));
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMemcpyAsync(device_a, a.data(), bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(device_b, b.data(), bytes, cudaMemcpyHostToDevice, stream));

  dim3 const threads(tile, tile), grid(size / tile, size / tile);
  CHECK(cudaEventRecord(start, stream));
  multiply<<<grid, threads, 0, stream>>>(device_c, device_a, device_b, size);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpyAsync(c.data(), device_c, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));

  bool right = true;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      float expected = 0;
      for (int k = 0; k < size; ++k)
        expected += a[i * size + k] * b[k * size + j];
      right = right && c[i * size + j] == expected;
    }
  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
  CHECK(cudaFree(device_c));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
