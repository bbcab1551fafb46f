// Arrays in shared memory of classes that have constructors, although the default one does nothing:
// the compiler guards them, and the guards are nobody's accesses.
#include <cuda/barrier>

#include <cstdio>

#include "check.hpp"

constexpr int threads = 64;

struct vector {
  float x, y, z;
  vector() = default;
  __host__ __device__ vector(float x_, float y_, float z_) : x(x_), y(y_), z(z_) {}
};

/* In a template: a guard that the linker may merge with others. */
template <int Count> __device__ float mirror(float value) {
  __shared__ vector all[Count];
  all[threadIdx.x] = vector(value, 1, 2);
#ifndef WITHOUT_SYNC
  __syncthreads();
#endif
  return all[Count - 1 - threadIdx.x].x;
}

__global__ void exchange(float* values) {
  __shared__ cuda::barrier<cuda::thread_scope_block> filled[2];
  __shared__ float parts[2][threads];
  if (threadIdx.x < 2) init(&filled[threadIdx.x], threads);
  __syncthreads();
  float const value = mirror<threads>(values[threadIdx.x]);
  for (int stage = 0; stage < 2; ++stage) {
    parts[stage][threadIdx.x] = value + stage;
#ifndef WITHOUT_ARRIVAL
    filled[stage].arrive_and_wait();
#endif
  }
  values[threadIdx.x] = parts[0][threadIdx.x ^ 1] + parts[1][threadIdx.x ^ 3];
}

int main() {
  float host[threads];
  for (int i = 0; i < threads; ++i) host[i] = float(i);
  float* values = nullptr;
  CHECK(cudaMalloc(&values, sizeof host));
  CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  exchange<<<1, threads>>>(values);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  for (int i = 0; i < threads; ++i) {
    float const expected = float(threads - 1 - (i ^ 1)) + float(threads - 1 - (i ^ 3)) + 1;
    if (host[i] != expected) {
      std::printf("thread %d: %g instead of %g\n", i, host[i], expected);
      return 1;
    }
  }
  std::puts("passed");
  return 0;
}
