// What only AMD's device compilers have: values of other lanes by byte address and by number,
// fields of bits, and a flag behind fences that say their order and their scope.
#include "check.hpp"

#ifdef FENCE_THE_WRONG_WAY
#define WRITER_ORDER __ATOMIC_ACQUIRE
#else
#define WRITER_ORDER __ATOMIC_RELEASE
#endif
#ifdef NO_FENCE_OF_READER
#define READER_ORDER __ATOMIC_RELEASE
#else
#define READER_ORDER __ATOMIC_ACQUIRE
#endif
#ifdef WORKGROUP_SCOPE
#define SCOPE "workgroup"
#elif defined(ONE_THREAD)
#define SCOPE "singlethread"
#else
#define SCOPE "agent"
#endif
#ifdef ATOMIC_OF_ONE_THREAD
#define SCOPE_OF_SUM __HIP_MEMORY_SCOPE_SINGLETHREAD
#else
#define SCOPE_OF_SUM __HIP_MEMORY_SCOPE_AGENT
#endif

__global__ void hand_on(int* value, unsigned* flag, int* result) {
  if (blockIdx.x == 0) {
    *value = 42;
    __builtin_amdgcn_fence(WRITER_ORDER, SCOPE);
    __hip_atomic_store(flag, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  } else {
    while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    __builtin_amdgcn_fence(READER_ORDER, SCOPE);
    *result = *value;
  }
}

__global__ void lanes(int* rotated, int* third, unsigned* fields) {
  int const lane = int(threadIdx.x);
  rotated[lane] = __builtin_amdgcn_ds_bpermute(4 * (lane + 1), lane * 10);
  third[lane] = __builtin_amdgcn_readlane(lane * 10, 3) + __builtin_amdgcn_readfirstlane(lane + 1);
  if (lane == 0) {
    fields[0] = __bitextract_u32(0xABCDu, 4, 8);
    fields[1] = __bitinsert_u32(0xFFFFu, 0u, 4, 8);
    fields[2] = unsigned(__bitextract_u64(0x123456789ABCull, 32, 12));
  }
}

__global__ void sums(float* sum, int* smallest, int* flags, int* last) {
  __hip_atomic_fetch_add(sum, 0.5f, __ATOMIC_RELAXED, SCOPE_OF_SUM);
  __hip_atomic_fetch_min(smallest, int(threadIdx.x) - 5, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_or(flags, 1 << (threadIdx.x % 8), __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
  int expected = 0;
  while (!__hip_atomic_compare_exchange_weak(last, &expected, expected + 2, __ATOMIC_SEQ_CST,
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
}

int main() {
  int *value, *result, found = 0, failures = 0;
  unsigned *flag, *fields, extracted[3];
  int *rotated, *third, *counts, all_rotated[64], all_third[64], totals[3];
  float *sum, total = 0;
  CHECK(hipMalloc(&value, sizeof(int)));
  CHECK(hipMalloc(&result, sizeof(int)));
  CHECK(hipMalloc(&flag, sizeof(unsigned)));
  CHECK(hipMalloc(&rotated, 64 * sizeof(int)));
  CHECK(hipMalloc(&third, 64 * sizeof(int)));
  CHECK(hipMalloc(&fields, 3 * sizeof(unsigned)));
  CHECK(hipMalloc(&counts, 3 * sizeof(int)));
  CHECK(hipMalloc(&sum, sizeof(float)));
  CHECK(hipMemset(flag, 0, sizeof(unsigned)));
  CHECK(hipMemset(counts, 0, 3 * sizeof(int)));
  CHECK(hipMemset(sum, 0, sizeof(float)));
  hand_on<<<2, 1>>>(value, flag, result);
  CHECK(hipGetLastError());
  lanes<<<1, 64>>>(rotated, third, fields);
  CHECK(hipGetLastError());
  sums<<<1, 64>>>(sum, counts, counts + 1, counts + 2);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(&found, result, sizeof found, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(all_rotated, rotated, sizeof all_rotated, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(all_third, third, sizeof all_third, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(extracted, fields, sizeof extracted, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(totals, counts, sizeof totals, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    failures += (all_rotated[i] != (i + 1) % 64 * 10) + (all_third[i] != 31);
  failures += (found != 42) + (extracted[0] != 0xBCu) + (extracted[1] != 0xF00Fu) +
              (extracted[2] != 0x234u) + (total != 32.0f) + (totals[0] != -5) + (totals[1] != 255) +
              (totals[2] != 128);
  CHECK(hipFree(value));
  CHECK(hipFree(result));
  CHECK(hipFree(flag));
  CHECK(hipFree(rotated));
  CHECK(hipFree(third));
  CHECK(hipFree(fields));
  CHECK(hipFree(counts));
  CHECK(hipFree(sum));
  std::printf(failures == 0 ? "passed\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
