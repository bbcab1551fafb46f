// Atomics with a memory order and a scope: block 0 releases a value, block 1 acquires it.
#include "check.hpp"

#ifdef RELAXED_STORE
#define STORE_ORDER __ATOMIC_RELAXED
#else
#define STORE_ORDER __ATOMIC_RELEASE
#endif
#ifdef RELAXED_LOAD
#define LOAD_ORDER __ATOMIC_RELAXED
#else
#define LOAD_ORDER __ATOMIC_ACQUIRE
#endif
#ifdef WORKGROUP_SCOPE
#define SCOPE __HIP_MEMORY_SCOPE_WORKGROUP
#else
#define SCOPE __HIP_MEMORY_SCOPE_AGENT
#endif

__global__ void hand_on(int* value, unsigned* flag, int* result) {
  if (blockIdx.x == 0) {
    *value = 42;
    __hip_atomic_store(flag, 1u, STORE_ORDER, SCOPE);
  } else {
    while (__hip_atomic_load(flag, LOAD_ORDER, SCOPE) == 0) {
    }
    *result = *value;
  }
}

int main() {
  int *value, *result, found = 0;
  unsigned* flag;
  CHECK(hipMalloc(&value, sizeof(int)));
  CHECK(hipMalloc(&result, sizeof(int)));
  CHECK(hipMalloc(&flag, sizeof(unsigned)));
  CHECK(hipMemset(flag, 0, sizeof(unsigned)));
  hipLaunchKernelGGL(hand_on, dim3(2), dim3(1), 0, 0, value, flag, result);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(&found, result, sizeof found, hipMemcpyDeviceToHost));
  CHECK(hipFree(value));
  CHECK(hipFree(result));
  CHECK(hipFree(flag));
  std::puts(found == 42 ? "passed" : "wrong results");
  return found == 42 ? 0 : 1;
}
