#ifndef MOCKGPU_SHIM_DEVICE_H
#define MOCKGPU_SHIM_DEVICE_H
#pragma GCC system_header
/* What both vendors offer inside kernels. A construct that is missing here does not compile: it is
 * never pretended. Warp operations, fences, dynamic shared memory and symbol copies are among
 * those. */
#include "mockgpu/launch.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* An entry of its own, with the parameters it is declared with, that the runtime can call. */
#ifdef __clang__
#define MOCKGPU_KERNEL __attribute__((noinline, used))
#else
#define MOCKGPU_KERNEL __attribute__((noipa, used))
#endif
/* Blocks run one after the other, so one copy serves them all. */
#define MOCKGPU_SHARED_VARIABLE static
#define MOCKGPU_DEVICE_VARIABLE
#define MOCKGPU_CONSTANT_VARIABLE

#define __host__
/* Under a driver these become marks, which its rewriter replaces (tools/rewrite.hpp). */
#ifdef MOCKGPU_REWRITES
#define __global__ __mockgpu_global__(MOCKGPU_KERNEL)
#define __device__ __mockgpu_device__(MOCKGPU_DEVICE_VARIABLE)
#define __constant__ __mockgpu_constant__(MOCKGPU_CONSTANT_VARIABLE)
#define __shared__ __mockgpu_shared__(MOCKGPU_SHARED_VARIABLE)
#define __managed__ __mockgpu_managed__()
#else
#define __global__ MOCKGPU_KERNEL
#define __device__
#define __constant__
#define __shared__ static
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

/* The compiler drivers find by this line that an object holds device code. */
__asm__("# mockgpu: device code");

/* DaCe's headers choose real atomics by macros that only device compilers define. Without them a
 * floating-point update becomes an OpenMP atomic, whose write no hook sees. */
#define DACE_USE_GPU_ATOMICS
#define DACE_USE_GPU_DOUBLE_ATOMICS

namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  /* The indices are read by an instruction of our own: the compiler puts no hook on it, and may
   * still share one read between uses. */
  inline __attribute__((always_inline)) unsigned read_index(unsigned const& source) {
    unsigned value;
    __asm__("movl %1, %0" : "=r"(value) : "m"(source));
    return value;
  }
  inline __attribute__((always_inline)) uint3 read_uint3(unsigned const(&source)[3]) {
    return uint3{read_index(source[0]), read_index(source[1]), read_index(source[2])};
  }
  inline __attribute__((always_inline)) dim3 read_dim3(unsigned const(&source)[3]) {
    return dim3(read_index(source[0]), read_index(source[1]), read_index(source[2]));
  }

} // namespace )

#define threadIdx (::mockgpu_shim::read_uint3(::mockgpu_indices.thread))
#define blockIdx (::mockgpu_shim::read_uint3(::mockgpu_indices.block))
/* These two are members of CUDA's launch configuration too, so each becomes a call that is valid
 * behind a dot. */
inline __attribute__((always_inline)) dim3 mockgpu_block_dim() {
  return ::mockgpu_shim::read_dim3(::mockgpu_indices.block_dim);
}
inline __attribute__((always_inline)) dim3 mockgpu_grid_dim() {
  return ::mockgpu_shim::read_dim3(::mockgpu_indices.grid_dim);
}
#define blockDim mockgpu_block_dim()
#define gridDim mockgpu_grid_dim()

#include "mockgpu/sync.h"
#include "mockgpu/warp.h"

/* Bit casts. */
inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
inline double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }

/* The vendors' overloads in the global namespace. */
#define MOCKGPU_MIN_MAX(type)                                                                      \
  inline type min(type a, type b) { return b < a ? b : a; }                                        \
  inline type max(type a, type b) { return a < b ? b : a; }
MOCKGPU_MIN_MAX(int)
MOCKGPU_MIN_MAX(unsigned)
MOCKGPU_MIN_MAX(long)
MOCKGPU_MIN_MAX(unsigned long)
MOCKGPU_MIN_MAX(long long)
MOCKGPU_MIN_MAX(unsigned long long)
#undef MOCKGPU_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

/* Atomics, relaxed as the vendors' are. The compiler's instrumentation turns each builtin into an
 * atomic hook, so they reach the checker as atomic accesses. */
namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  template <class T, class Bits, class Update> inline T atomic_update(T * address, Update update) {
    static_assert(sizeof(T) == sizeof(Bits), "bits of another size");
    auto* const bits = reinterpret_cast<Bits*>(address);
    Bits old_bits = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (true) {
      T const old = __builtin_bit_cast(T, old_bits);
      Bits const fresh = __builtin_bit_cast(Bits, update(old));
      if (__atomic_compare_exchange_n(bits, &old_bits, fresh, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
        return old;
    }
  }

} // namespace )

#define MOCKGPU_ATOMIC_INTEGER(type)                                                               \
  inline type atomicAdd(type* address, type value) {                                               \
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);                                   \
  }                                                                                                \
  inline type atomicExch(type* address, type value) {                                              \
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                                  \
  }                                                                                                \
  inline type atomicCAS(type* address, type expected, type value) {                                \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED,                \
                                __ATOMIC_RELAXED);                                                 \
    return expected;                                                                               \
  }
#define MOCKGPU_ATOMIC_BITS(type)                                                                  \
  inline type atomicAnd(type* address, type value) {                                               \
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);                                   \
  }                                                                                                \
  inline type atomicOr(type* address, type value) {                                                \
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);                                    \
  }                                                                                                \
  inline type atomicXor(type* address, type value) {                                               \
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);                                   \
  }                                                                                                \
  inline type atomicMin(type* address, type value) {                                               \
    return ::mockgpu_shim::atomic_update<type, type>(address,                                      \
                                                     [=](type old) { return min(old, value); });   \
  }                                                                                                \
  inline type atomicMax(type* address, type value) {                                               \
    return ::mockgpu_shim::atomic_update<type, type>(address,                                      \
                                                     [=](type old) { return max(old, value); });   \
  }
MOCKGPU_ATOMIC_INTEGER(int)
MOCKGPU_ATOMIC_INTEGER(unsigned)
MOCKGPU_ATOMIC_INTEGER(unsigned long long)
MOCKGPU_ATOMIC_BITS(int)
MOCKGPU_ATOMIC_BITS(unsigned)
MOCKGPU_ATOMIC_BITS(long long)
MOCKGPU_ATOMIC_BITS(unsigned long long)
#undef MOCKGPU_ATOMIC_INTEGER
#undef MOCKGPU_ATOMIC_BITS

inline int atomicSub(int* address, int value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
inline unsigned atomicSub(unsigned* address, unsigned value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
inline float atomicExch(float* address, float value) {
  return ::mockgpu_shim::atomic_update<float, uint32_t>(address, [=](float) { return value; });
}
inline float atomicAdd(float* address, float value) {
  return ::mockgpu_shim::atomic_update<float, uint32_t>(address,
                                                        [=](float old) { return old + value; });
}
inline double atomicAdd(double* address, double value) {
  return ::mockgpu_shim::atomic_update<double, uint64_t>(address,
                                                         [=](double old) { return old + value; });
}
#endif
