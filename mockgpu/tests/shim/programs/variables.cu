// __device__ and __constant__ variables. With an argument, one fault: "host" touches one from host
// code, "race" updates one without an atomic, "past" and "before" run off an array,
// "constant" writes a constant one, "streams" reads what another stream writes.
#include <cstdio>
#include <cstring>

__device__ int counter;
__device__ int table[16];
__constant__ float factors[4] = {1, 2, 3, 4};
namespace inner {
static __device__ double sums[3];
}

__global__ void update(float* out, int fault) {
  int const i = static_cast<int>(threadIdx.x);
  if (fault == 2)
    counter += 1;
  else
    atomicAdd(&counter, 1);
  table[fault == 3 && i == 0 ? 17 : fault == 5 && i == 0 ? -1 : i] = i;
  float* const writable = factors;
  if (fault == 6 && i == 0) writable[1] = 2;
  if (i < 3) inner::sums[i] += factors[i];
  out[i] = factors[i % 4] + static_cast<float>(inner::sums[i % 3 == i ? i : 0] * 0);
}

__global__ void look(float* out) { out[threadIdx.x] = static_cast<float>(table[threadIdx.x]); }

int main(int argc, char** argv) {
  char const* const wanted = argc > 1 ? argv[1] : "none";
  int const fault = std::strcmp(wanted, "host") == 0       ? 1
                    : std::strcmp(wanted, "race") == 0     ? 2
                    : std::strcmp(wanted, "past") == 0     ? 3
                    : std::strcmp(wanted, "streams") == 0  ? 4
                    : std::strcmp(wanted, "before") == 0   ? 5
                    : std::strcmp(wanted, "constant") == 0 ? 6
                                                           : 0;
  float* out = nullptr;
  float host[16];
  cudaStream_t other;
  if (cudaMalloc(&out, 2 * sizeof host) != cudaSuccess) return 1;
  if (cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) != cudaSuccess) return 1;
  update<<<1, fault == 3 ? 2 : 3>>>(out, fault);
  if (fault != 4 && cudaDeviceSynchronize() != cudaSuccess) return 1;
  look<<<1, 3, 0, other>>>(out + 16);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  if (fault == 1) counter = 0;
  if (cudaMemcpy(host, out, 2 * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%g %g\n", static_cast<double>(host[0]), static_cast<double>(host[1]));
  if (cudaStreamDestroy(other) != cudaSuccess) return 1;
  return cudaFree(out);
}
