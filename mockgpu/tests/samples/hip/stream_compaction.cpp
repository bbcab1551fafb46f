// Multiples of three are kept, each wavefront's in one piece: it counts them by the builtins of
// AMD's compilers, and one lane takes the place for all.
#include "check.hpp"

#include <vector>

constexpr int block = 256;

__global__ void compact(int const* in, int* out, int* used, int n) {
  HIP_DYNAMIC_SHARED(int, taken)
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  bool const keep = i < n && in[i] % 3 == 0;
  unsigned long long const kept = __ballot(keep);
  int const before =
      __builtin_amdgcn_mbcnt_hi(unsigned(kept >> 32), __builtin_amdgcn_mbcnt_lo(unsigned(kept), 0));
  int const wave = threadIdx.x / warpSize;
  if (__lane_id() == 0) {
#ifdef PLAIN_COUNTER
    taken[wave] = *used;
    *used += __popcll(kept);
#else
    taken[wave] = atomicAdd(used, __popcll(kept));
#endif
  }
#ifndef WITHOUT_BARRIER
  // The barrier alone orders no memory.
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
  int const first = __builtin_amdgcn_readfirstlane(taken[wave]);
  if (keep) out[first + before] = in[i];
}

int main() {
  int const n = 1000;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  int *in, *out, *used;
  CHECK(hipMalloc(&in, n * sizeof(int)));
  CHECK(hipMalloc(&out, n * sizeof(int)));
  CHECK(hipMalloc(&used, sizeof(int)));
  CHECK(hipMemset(used, 0, sizeof(int)));
  CHECK(hipMemcpy(in, host.data(), n * sizeof(int), hipMemcpyHostToDevice));
  compact<<<(n + block - 1) / block, block, block / 32 * sizeof(int)>>>(in, out, used, n);
  CHECK(hipGetLastError());
  int kept = 0;
  CHECK(hipMemcpy(&kept, used, sizeof(int), hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(host.data(), out, kept * sizeof(int), hipMemcpyDeviceToHost));
  long sum = 0;
  for (int i = 0; i < kept; ++i) sum += host[i];
  CHECK(hipFree(in));
  CHECK(hipFree(out));
  CHECK(hipFree(used));
  bool const right = kept == 334 && sum == 166833;
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
