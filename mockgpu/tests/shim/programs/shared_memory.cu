// Static and dynamic shared memory in kernels, templates and inline functions. With an argument,
// one fault: "past" reads past the dynamic memory, "undefined" reads what nobody wrote, "race"
// leaves a barrier out.
#include <cstdio>
#include <cstring>

template <class T> __device__ T reverse_in_block(T value) {
  __shared__ T tile[64];
  tile[threadIdx.x] = value;
  __syncthreads();
  return tile[blockDim.x - 1 - threadIdx.x];
}

inline __device__ int sum_in_block(int value) {
  __shared__ int parts[64];
  __shared__ int total;
  parts[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) total += parts[i];
  }
  __syncthreads();
  return total;
}

__global__ void all_forms(int* out, int fault) {
  extern __shared__ double scratch[];
  unsigned const me = threadIdx.x, count = blockDim.x;
  int const i = static_cast<int>(blockIdx.x * count + me);
  scratch[me] = 0.5 * i;
  if (fault != 3) __syncthreads();
  double const other = fault == 2 ? scratch[count] : scratch[count - 1 - me];
  double const read = fault == 1 && me == 0 ? scratch[count + 1] : other;
  out[i] = reverse_in_block(i) + static_cast<int>(reverse_in_block(2.0 * i)) + sum_in_block(1) +
           static_cast<int>(2 * read);
}

int main(int argc, char** argv) {
  char const* const wanted = argc > 1 ? argv[1] : "none";
  int const fault = std::strcmp(wanted, "past") == 0        ? 1
                    : std::strcmp(wanted, "undefined") == 0 ? 2
                    : std::strcmp(wanted, "race") == 0      ? 3
                                                            : 0;
  int* out = nullptr;
  int host[96];
  if (cudaMalloc(&out, sizeof host) != cudaSuccess) return 1;
  // One element more than there are threads: "undefined" reads it, "past" the one behind it.
  all_forms<<<3, 32, 33 * sizeof(double)>>>(out, fault);
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  if (fault == 0) std::printf("%d %d %d\n", host[0], host[31], host[64]);
  return cudaFree(out);
}
