// Kernels that end before their threads do, and the heap of the device. The argument says which.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fails(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }
__global__ void traps() {
  if (threadIdx.x == 5) __trap();
}
__global__ void spins(int volatile* flag) {
  while (*flag == 0) {}
}
__global__ void waits_for_block_one(int* flag) {
  if (blockIdx.x == 1) {
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
  }
}
__global__ void uses_heap(int* out, int fault) {
  int* const own = static_cast<int*>(malloc(4 * sizeof(int)));
  int* const more = new int[2];
  if (own == nullptr) return;
  for (int i = 0; i < 4; ++i) own[i] = i;
  more[0] = fault == 1 ? own[4] : own[3];
  if (fault != 2) free(own);
  out[threadIdx.x] = more[0] + (fault == 2 ? own[1] : 1) + (fault == 3 ? own[0] : 0);
  if (fault == 2) free(own);
  delete[] more;
}
__global__ void says() { printf("thread %u of block %u\n", threadIdx.x, blockIdx.x); }
__global__ void takes_all(int* out) { *out = malloc(std::size_t{1} << 30) == nullptr; }

int main(int argc, char** argv) {
  char const* const wanted = argc > 1 ? argv[1] : "none";
  auto const is = [wanted](char const* name) { return std::strcmp(wanted, name) == 0; };
  int* out = nullptr;
  int host = 0;
  if (cudaMalloc(&out, 64) != cudaSuccess || cudaMemset(out, 0, 64) != cudaSuccess) return 1;
  if (is("assert")) fails<<<1, 8>>>(6);
  if (is("trap")) traps<<<2, 8>>>();
  if (is("spin")) spins<<<1, 4>>>(out);
  if (is("none") || is("poll")) waits_for_block_one<<<2, 4>>>(out);
  if (is("none")) fails<<<1, 8>>>(8);
  if (is("none")) says<<<2, 2>>>();
  if (is("none") || is("heap")) uses_heap<<<1, 2>>>(out, 0);
  if (is("heap-past")) uses_heap<<<1, 1>>>(out, 1);
  if (is("heap-freed")) uses_heap<<<1, 1>>>(out, 3);
  if (is("none")) takes_all<<<1, 1>>>(out + 4);
  int const status = cudaDeviceSynchronize();
  if (status == 0 && cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  std::printf("status %d out %d\n", status, host);
  return status == 0 ? cudaFree(out) : 0;
}
