#ifndef MOCKGPU_SHIM_SYNC_H
#define MOCKGPU_SHIM_SYNC_H
#pragma GCC system_header
/* Barriers of the block and fences. A barrier is known by the place of its call in the program. */
#include "mockgpu/abi.h"

#define MOCKGPU_INLINE inline __attribute__((always_inline))
/* Hidden defaults: where the program calls. */
#define MOCKGPU_HERE char const *file = __builtin_FILE(), unsigned line = __builtin_LINE()

MOCKGPU_INLINE void __syncthreads(MOCKGPU_HERE) { mockgpu_block_barrier(0, file, line); }
MOCKGPU_INLINE int __syncthreads_count(int predicate, MOCKGPU_HERE) {
  return static_cast<int>(mockgpu_block_barrier(predicate, file, line) & 0xFFFFFFFFu);
}
MOCKGPU_INLINE int __syncthreads_and(int predicate, MOCKGPU_HERE) {
  unsigned long long const counts = mockgpu_block_barrier(predicate, file, line);
  return (counts & 0xFFFFFFFFu) == counts >> 32;
}
MOCKGPU_INLINE int __syncthreads_or(int predicate, MOCKGPU_HERE) {
  return (mockgpu_block_barrier(predicate, file, line) & 0xFFFFFFFFu) != 0;
}

MOCKGPU_INLINE void __threadfence_block() { mockgpu_fence(0, __ATOMIC_SEQ_CST); }
MOCKGPU_INLINE void __threadfence() { mockgpu_fence(1, __ATOMIC_SEQ_CST); }
MOCKGPU_INLINE void __threadfence_system() { mockgpu_fence(2, __ATOMIC_SEQ_CST); }

/* clock() is the C library's outside of kernels. */
MOCKGPU_INLINE long long clock64() { return mockgpu_clock(); }
MOCKGPU_INLINE long long wall_clock64() { return mockgpu_clock(); }
MOCKGPU_INLINE void __trap() { mockgpu_device_trap("__trap"); }
MOCKGPU_INLINE void __nanosleep(unsigned nanoseconds) { mockgpu_sleep(nanoseconds); }
/* What programs for AMD devices put into loops that wait; a macro, since its name is the compilers'. */
#define __builtin_amdgcn_s_sleep(units) mockgpu_sleep(64ull * (units))
#endif
