#ifndef MOCKGPU_SHIM_AMDGCN_H
#define MOCKGPU_SHIM_AMDGCN_H
#pragma GCC system_header
/* What only AMD's device compilers have: lanes of a wavefront, permutations between them, and the
 * builtins that programs call by their names. Macros where a name is reserved for compilers. */
#include "mockgpu/atomics.h"
#include "mockgpu/bits.h"
#include "mockgpu/warp.h"

/* Lanes below, at and above one's own. */
MOCKGPU_INLINE unsigned long long __lanemask_eq() { return 1ull << __lane_id(); }
MOCKGPU_INLINE unsigned long long __lanemask_lt() { return __lanemask_eq() - 1; }
MOCKGPU_INLINE unsigned long long __lanemask_gt() { return ~__lanemask_lt() & ~__lanemask_eq(); }
/* Bits of a mask that belong to lanes below one's own, in its lower or upper 32 lanes. */
MOCKGPU_INLINE unsigned __mbcnt_lo(unsigned mask, unsigned sum) {
  return sum + static_cast<unsigned>(__popc(mask & static_cast<unsigned>(__lanemask_lt())));
}
MOCKGPU_INLINE unsigned __mbcnt_hi(unsigned mask, unsigned sum) {
  return sum + static_cast<unsigned>(__popc(mask & static_cast<unsigned>(__lanemask_lt() >> 32)));
}
#define __builtin_amdgcn_mbcnt_lo(mask, sum) __mbcnt_lo(mask, sum)
#define __builtin_amdgcn_mbcnt_hi(mask, sum) __mbcnt_hi(mask, sum)

/* The value of the lane that a byte address names, four bytes a lane. */
MOCKGPU_INLINE int __hip_ds_bpermute(int address, int value, MOCKGPU_HERE) {
  return __shfl(value, (address >> 2) & (warpSize - 1), warpSize, file, line);
}
MOCKGPU_INLINE float __hip_ds_bpermutef(int address, float value, MOCKGPU_HERE) {
  return __shfl(value, (address >> 2) & (warpSize - 1), warpSize, file, line);
}
#define __builtin_amdgcn_ds_bpermute(address, value) __hip_ds_bpermute(address, value)
/* The value of the first lane that is there. */
template <class T> MOCKGPU_INLINE T __mockgpu_read_first_lane(T value, MOCKGPU_HERE) {
  unsigned long long const lanes = __ballot(1, file, line);
  return __shfl(value, __ffsll(static_cast<long long>(lanes)) - 1, warpSize, file, line);
}
#define __builtin_amdgcn_readfirstlane(value) __mockgpu_read_first_lane(value)
#define __builtin_amdgcn_readlane(value, lane) __shfl(value, lane)
#define __builtin_amdgcn_wavefrontsize() static_cast<unsigned>(warpSize)

/* Barriers and fences. A fence's scope is a text: `singlethread`, `wavefront`, `workgroup`, `agent`,
 * or nothing for the system; "-one-as" may follow. */
MOCKGPU_INLINE void __mockgpu_fence(int order, char const* scope) {
  if (scope[0] == 's' && scope[1] == 'i') return;
  mockgpu_fence(scope[0] == 'w' ? 0 : scope[0] == 'a' ? 1 : 2, order);
}
/* More than it promises: alone it orders no memory. */
#define __builtin_amdgcn_s_barrier() __syncthreads()
#define __builtin_amdgcn_wave_barrier() static_cast<void>(0)
#define __builtin_amdgcn_fence(order, scope) __mockgpu_fence(order, scope)

#define __builtin_readcyclecounter() static_cast<unsigned long long>(mockgpu_clock())
#define __builtin_amdgcn_s_memtime() static_cast<unsigned long long>(mockgpu_clock())
#define __builtin_amdgcn_s_memrealtime() static_cast<unsigned long long>(mockgpu_clock())
MOCKGPU_INLINE long long __clock64() { return mockgpu_clock(); }
MOCKGPU_INLINE long long __clock() { return mockgpu_clock(); }

#define __builtin_amdgcn_workgroup_id_x() (blockIdx.x)
#define __builtin_amdgcn_workgroup_id_y() (blockIdx.y)
#define __builtin_amdgcn_workgroup_id_z() (blockIdx.z)
#define __builtin_amdgcn_workitem_id_x() (threadIdx.x)
#define __builtin_amdgcn_workitem_id_y() (threadIdx.y)
#define __builtin_amdgcn_workitem_id_z() (threadIdx.z)

/* Loads and stores past the caches, which do not matter here. */
#define __builtin_nontemporal_load(address) (*(address))
#define __builtin_nontemporal_store(value, address) (static_cast<void>(*(address) = (value)))

/* Bit fields: at most the bits that there are. */
MOCKGPU_INLINE unsigned __bitextract_u32(unsigned x, unsigned first, unsigned count) {
  first &= 31;
  count &= 31;
  return count == 0 ? 0 : x << (32 - (first + count > 32 ? 32 : first + count)) >> (32 - count);
}
MOCKGPU_INLINE unsigned __bitinsert_u32(unsigned x, unsigned from, unsigned first, unsigned count) {
  first &= 31;
  count &= 31;
  unsigned const field = ((1u << count) - 1) << first;
  return (x & ~field) | (from << first & field);
}
MOCKGPU_INLINE unsigned long long __bitextract_u64(unsigned long long x, unsigned first,
                                                   unsigned count) {
  first &= 63;
  count &= 63;
  return count == 0 ? 0 : x << (64 - (first + count > 64 ? 64 : first + count)) >> (64 - count);
}
MOCKGPU_INLINE unsigned long long __bitinsert_u64(unsigned long long x, unsigned long long from,
                                                  unsigned first, unsigned count) {
  first &= 63;
  count &= 63;
  unsigned long long const field = ((1ull << count) - 1) << first;
  return (x & ~field) | (from << first & field);
}
#endif
