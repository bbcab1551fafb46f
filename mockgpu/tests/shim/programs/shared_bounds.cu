// Two static shared arrays, of a template and of a kernel, and one dynamic. The argument selects an
// index that misses the array it is meant for.
#include <cstdio>
#include <cstring>

constexpr int threads = 32;

template <class T> static __device__ T rotate(T value, int by) {
  __shared__ alignas(64) T ring[threads];
  ring[threadIdx.x] = value;
  __syncthreads();
  return ring[static_cast<int>(threadIdx.x) + by];
}

__global__ void all(int* out, int past, int before, int between, int wide) {
  __shared__ int first[threads];
  __shared__ double second[threads];
  extern __shared__ float dynamic[];
  int const me = static_cast<int>(threadIdx.x);
  first[me] = me;
  second[me] = me;
  if (me < 4) dynamic[me] = 0;
  __syncthreads();
  int sum = first[me + between] + static_cast<int>(second[me - before]);
  sum += rotate(me, past) + static_cast<int>(rotate(1.0 * me, past));
  float4 const* const quad = reinterpret_cast<float4 const*>(dynamic + wide);
  out[me] = sum + static_cast<int>(quad->x + quad->w);
}

int main(int argc, char** argv) {
  char const* const wanted = argc > 1 ? argv[1] : "none";
  auto const is = [wanted](char const* name) { return std::strcmp(wanted, name) == 0 ? 1 : 0; };
  int* out = nullptr;
  int host[threads];
  if (cudaMalloc(&out, sizeof host) != cudaSuccess) return 1;
  all<<<2, threads, is("nothing-given") ? 0 : 16>>>(out, is("past"), is("before"), is("between"),
                                                    is("wide"));
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%d\n", host[3]);
  return cudaFree(out);
}
