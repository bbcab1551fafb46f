// Kernels whose loads and stores their own code looks at: of words and of halves of them, in order
// and scattered, in launches that find what the one before has left. The argument selects a fault.
#include <cstdio>
#include <cstring>

constexpr int count = 1000;

template <class T> __global__ void accumulate(T* to, T const* from, int stride) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] += from[i * stride % count];
}

__global__ void write_one(float* p) { *p = 1; }
__global__ void read_past(double const* p, double* to) { *to = p[count]; }
__global__ void read_between(char const* p, float* to) {
  *to = *reinterpret_cast<float const*>(p + 2);
}

struct streams {
  cudaStream_t left, right;
};

/// The content comes by the left stream, and the kernels run there. \returns the sum of all.
template <class T> double run(streams on, bool whole, bool race, T* to, T* from) {
  T host[count];
  for (int i = 0; i < count; ++i) host[i] = static_cast<T>(i % 10);
  int const first = whole ? 0 : 1; // element 0 stays as it was allocated
  cudaMemcpyAsync(from + first, host + first, sizeof host - first * sizeof(T),
                  cudaMemcpyHostToDevice, on.left);
  cudaMemsetAsync(to, 0, sizeof host, on.left);
  int const strides[] = {1, 7, 1};
  for (int const stride : strides) accumulate<<<8, 128, 0, on.left>>>(to, from, stride);
  if (race) write_one<<<1, 1, 0, on.right>>>(reinterpret_cast<float*>(from) + 5);
  cudaMemcpyAsync(host, to, sizeof host, cudaMemcpyDeviceToHost, on.left);
  cudaStreamSynchronize(on.left);
  cudaStreamSynchronize(on.right);
  double sum = 0;
  for (T const one : host) sum += static_cast<double>(one);
  return sum;
}

int main(int argc, char** argv) {
  char const* const wanted = argc > 1 ? argv[1] : "none";
  auto const is = [wanted](char const* name) { return std::strcmp(wanted, name) == 0; };
  double *a = nullptr, *b = nullptr;
  float *c = nullptr, *d = nullptr;
  streams on{};
  if (cudaMalloc(&a, count * sizeof *a) || cudaMalloc(&b, count * sizeof *b) ||
      cudaMalloc(&c, count * sizeof *c) || cudaMalloc(&d, count * sizeof *d) ||
      cudaStreamCreate(&on.left) || cudaStreamCreate(&on.right))
    return 1;
  double sum = run(on, !is("undefined"), false, a, b);
  sum += run(on, true, is("race"), c, d);
  if (is("past")) read_past<<<1, 1>>>(b, a);
  if (is("misaligned")) read_between<<<1, 1>>>(reinterpret_cast<char const*>(d), c);
  cudaDeviceSynchronize();
  std::printf("%g\n", sum);
  return cudaFree(a) || cudaFree(b) || cudaFree(c) || cudaFree(d) || cudaStreamDestroy(on.left) ||
         cudaStreamDestroy(on.right);
}
