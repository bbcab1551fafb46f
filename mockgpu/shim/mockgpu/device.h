#ifndef MOCKGPU_SHIM_DEVICE_H
#define MOCKGPU_SHIM_DEVICE_H
#pragma GCC system_header
/* What both vendors offer inside kernels. A construct that is missing here does not compile: it is
 * never pretended. */
#include "mockgpu/launch.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* An entry of its own, with the parameters it is declared with, that the runtime can call. */
#ifdef __clang__
#define MOCKGPU_KERNEL __attribute__((noinline, used))
#else
#define MOCKGPU_KERNEL __attribute__((noipa, used))
#endif
/* Where the mock finds variables that are no memory of the host; the drivers' assembler puts the
 * sections of a kind together (tools/variable_records.hpp). One copy of a shared variable serves
 * all blocks: the mock exchanges its content where several are alive. */
#define MOCKGPU_TEXT_OF(number) MOCKGPU_TEXT_OF_(number)
#define MOCKGPU_TEXT_OF_(number) #number
#ifdef MOCKGPU_DEVICE_PASS /* numbers that no variable has in the other text of the same source */
#define MOCKGPU_PASS "0"
#else
#define MOCKGPU_PASS "" /* as many tokens */
#endif
#define MOCKGPU_IN_SECTION(kind)                                                                   \
  __attribute__((                                                                                  \
      aligned(16), section("mockgpu_" #kind "_" MOCKGPU_PASS MOCKGPU_TEXT_OF(__COUNTER__))))
/* g++ forgets the section of a template's variables, but no part of their names. */
#define MOCKGPU_SHARED_VARIABLE                                                                    \
  static __attribute__((abi_tag("mockgpu_shared"))) MOCKGPU_IN_SECTION(shared)
#define MOCKGPU_DEVICE_VARIABLE MOCKGPU_IN_SECTION(device)
#define MOCKGPU_CONSTANT_VARIABLE MOCKGPU_IN_SECTION(constant)
#define MOCKGPU_MANAGED_VARIABLE MOCKGPU_IN_SECTION(managed)

/* Under a driver these become marks, which its rewriter replaces (tools/rewrite.hpp). */
#ifdef MOCKGPU_REWRITES
#define __host__ __mockgpu_host__()
#define __global__ __mockgpu_global__(MOCKGPU_KERNEL)
#define __device__ __mockgpu_device__(MOCKGPU_DEVICE_VARIABLE)
#define __constant__ __mockgpu_constant__(MOCKGPU_CONSTANT_VARIABLE)
#define __shared__ __mockgpu_shared__(MOCKGPU_SHARED_VARIABLE)
#define __managed__ __mockgpu_managed__(MOCKGPU_MANAGED_VARIABLE)
#else
#define __host__
#define __global__ MOCKGPU_KERNEL
#define __device__
#define __constant__
#define __shared__ static
#define __managed__
#endif
#define __forceinline__ inline __attribute__((always_inline))
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned(bytes)))

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
  /* In the place of inline assembly that has no equivalent here: an error where it is used. */
  void inline_ptx() __attribute__((error("mockgpu: inline PTX is not supported")));
  /* Whom a function serves that host and device compile differently. */
  inline __attribute__((always_inline)) bool on_device() { return mockgpu_on_device() != 0; }
  /* What the drivers make of `extern __shared__ T name[]`. */
  inline __attribute__((always_inline)) void* dynamic_shared() { return mockgpu_dynamic_shared(); }
  inline __attribute__((always_inline)) uint3 read_uint3(unsigned const(&source)[3]) {
    return uint3{read_index(source[0]), read_index(source[1]), read_index(source[2])};
  }

} // namespace )

#define threadIdx (::mockgpu_shim::read_uint3(::mockgpu_indices.thread))
#define blockIdx (::mockgpu_shim::read_uint3(::mockgpu_indices.block))
namespace mockgpu_shim {
  /* Without constructors, unlike dim3: g++ hooks no read of a const that needs none. */
  struct grid_size {
    unsigned x, y, z;
    __attribute__((always_inline)) constexpr operator uint3() const { return uint3{x, y, z}; }
  };
} // namespace mockgpu_shim
__attribute__((always_inline)) constexpr dim3::dim3(mockgpu_shim::grid_size const& v)
    : x(v.x), y(v.y), z(v.z) {}
/* Programs have members and variables of these names too, so they are no macros. */
extern mockgpu_shim::grid_size const blockDim __asm__("mockgpu_block_dim");
extern mockgpu_shim::grid_size const gridDim __asm__("mockgpu_grid_dim");

#include "mockgpu/sync.h"
#include "mockgpu/warp.h"

#include "mockgpu/device_math.h"
#include "mockgpu/atomics.h"
#endif
