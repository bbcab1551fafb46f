// Code that asks by __CUDA_ARCH__ for whom it is compiled, in all the places where programs do.
#include <cstdio>

#include "check.hpp"

// As in the programming guide: devices from 6.0 on have it, and so has the host's pass.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double* address, double value);
#endif

// The same as older programs write it: seen by a pass without the macro only.
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  double const before = *address;
  *address = before + value;
  return before;
}
#endif

#ifdef __CUDA_ARCH__
#define WHERE "device"
__device__ int only_on_the_device() { return __CUDA_ARCH__ / 100; }
#else
#define WHERE "host"
int only_on_the_host() { return 1; }
#endif

enum side { on_host = 1, on_device = 2 };

__host__ __device__ constexpr int twice(int x) {
#ifdef __CUDA_ARCH__
  return x + x;
#else
  return 2 * x;
#endif
}
static_assert(twice(21) == 42, "constant as well");

template <class T> __host__ __device__ T where() {
#ifdef __CUDA_ARCH__
  return T(on_device);
#else
  return T(on_host);
#endif
}

struct counter {
  double* sum;
  __host__ __device__ void add(double value) const {
#ifdef __CUDA_ARCH__
#ifdef PLAIN_ADDITION
    *sum = *sum + value;
#else
    atomicAdd(sum, value);
#endif
#else
    *sum += value;
#endif
  }
};

__global__ void fill(double* sum, int* seen, char* name) {
  counter{sum}.add(1.0);
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  seen[0] = where<int>();
  auto const ask = [] __host__ __device__() { return WHERE[0]; };
  *name = ask();
#if __CUDA_ARCH__ >= 600
  seen[1] = only_on_the_device() + twice(1);
#else
  seen[1] = 0;
#endif
}

int main() {
  double* sum;
  int* seen;
  char* name;
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMalloc(&seen, 2 * sizeof *seen));
  CHECK(cudaMalloc(&name, 1));
  CHECK(cudaMemset(sum, 0, sizeof *sum));
  fill<<<2, 32>>>(sum, seen, name);
  CHECK(cudaGetLastError());
  double result = 0;
  int sides[2] = {};
  char letter = 0;
  CHECK(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(sides, seen, sizeof sides, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&letter, name, 1, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(sum));
  CHECK(cudaFree(seen));
  CHECK(cudaFree(name));
  counter{&result}.add(1.0);
  if (result != 65.0 || sides[0] != on_device || sides[1] != 9 || letter != 'd' ||
      where<int>() != on_host || WHERE[0] != 'h' || only_on_the_host() != 1) {
    std::printf("sum %g, sides %d %d, name %c, here %d in %s\n", result, sides[0], sides[1], letter,
                where<int>(), WHERE);
    return 1;
  }
  std::printf("passed\n");
}
