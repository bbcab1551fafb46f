#ifndef MOCKGPU_SHIM_ATOMICS_H
#define MOCKGPU_SHIM_ATOMICS_H
#pragma GCC system_header
/* Atomics, relaxed as the vendors' are. The compiler's instrumentation turns each builtin into an
 * atomic hook, so they reach the checker as atomic accesses. */
#include <stdint.h>

#include "mockgpu/sync.h"

namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  template <unsigned Size> struct bits_of_size;
  template <> struct bits_of_size<1> { using type = uint8_t; };
  template <> struct bits_of_size<2> { using type = uint16_t; };
  template <> struct bits_of_size<4> { using type = uint32_t; };
  template <> struct bits_of_size<8> { using type = uint64_t; };

  /* Whom an atomic is one for. Called in front of each builtin: the hook behind it asks. */
  enum class scope { device, block };
  template <scope Scope> inline void announce_scope() {
    if constexpr (Scope == scope::block) mockgpu_block_scope();
  }

  /* A sum that crosses the hooks of atomics has to leave its vector register. Its copy crosses them,
   * so that the loop in front of them keeps it there: g++ keeps one value in one place. */
  template <class T> inline T copied(T value) { return value; }
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  inline float copied(float value) {
    float copy;
    __asm__("%vmovaps\t%1, %0" : "=x"(copy) : "x"(value));
    return copy;
  }
  inline double copied(double value) {
    double copy;
    __asm__("%vmovaps\t%1, %0" : "=x"(copy) : "x"(value));
    return copy;
  }
#endif

  template <scope Scope, class T, class Update>
  inline T atomic_update(T * address, Update update, int order = __ATOMIC_RELAXED) {
    using bits = typename bits_of_size<sizeof(T)>::type;
    auto* const at = reinterpret_cast<bits*>(address);
    announce_scope<Scope>();
    bits old_bits = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (true) {
      T const old = __builtin_bit_cast(T, old_bits);
      bits const fresh = __builtin_bit_cast(bits, static_cast<T>(update(old)));
      announce_scope<Scope>();
      if (__atomic_compare_exchange_n(at, &old_bits, fresh, false, order, __ATOMIC_RELAXED))
        return old;
    }
  }
  template <class T, class Update> inline T atomic_update(T * address, Update update) {
    return atomic_update<scope::device>(address, update);
  }
  template <scope Scope, class T> inline T atomic_exchange(T * address, T value) {
    using bits = typename bits_of_size<sizeof(T)>::type;
    announce_scope<Scope>();
    return __builtin_bit_cast(T, __atomic_exchange_n(reinterpret_cast<bits*>(address),
                                                     __builtin_bit_cast(bits, value),
                                                     __ATOMIC_RELAXED));
  }
  template <scope Scope, class T> inline T atomic_compare(T * address, T expected, T value) {
    using bits = typename bits_of_size<sizeof(T)>::type;
    bits old = __builtin_bit_cast(bits, expected);
    announce_scope<Scope>();
    __atomic_compare_exchange_n(reinterpret_cast<bits*>(address), &old,
                                __builtin_bit_cast(bits, value), false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return __builtin_bit_cast(T, old);
  }

} // namespace )

/* Each function in its three scopes: the device, the block, the system. The checker makes no
 * difference between the device and the system. */
#define MOCKGPU_ATOMIC_SCOPED(name, type, its_scope, ...)                                          \
  inline type name(type* address, type value) {                                                    \
    constexpr auto Scope = ::mockgpu_shim::scope::its_scope;                                       \
    return __VA_ARGS__;                                                                            \
  }
#define MOCKGPU_ATOMIC(name, type, ...)                                                            \
  MOCKGPU_ATOMIC_SCOPED(name, type, device, __VA_ARGS__)                                           \
  MOCKGPU_ATOMIC_SCOPED(name##_block, type, block, __VA_ARGS__)                                    \
  MOCKGPU_ATOMIC_SCOPED(name##_system, type, device, __VA_ARGS__)
#define MOCKGPU_ATOMIC_FETCH(name, type, builtin)                                                  \
  MOCKGPU_ATOMIC(name, type,                                                                       \
                 (::mockgpu_shim::announce_scope<Scope>(),                                         \
                  __atomic_##builtin(address, value, __ATOMIC_RELAXED)))
#define MOCKGPU_ATOMIC_UPDATE(name, type, expression)                                              \
  MOCKGPU_ATOMIC(name, type,                                                                       \
                 ::mockgpu_shim::atomic_update<Scope>(address,                                     \
                                                      [value = ::mockgpu_shim::copied(value)]      \
                                                      (type old) { return expression; }))
#define MOCKGPU_ATOMIC_COMPARE_SCOPED(name, type, its_scope)                                       \
  inline type name(type* address, type expected, type value) {                                     \
    return ::mockgpu_shim::atomic_compare<::mockgpu_shim::scope::its_scope>(address, expected,     \
                                                                            value);                \
  }
#define MOCKGPU_ATOMIC_COMPARE(type)                                                               \
  MOCKGPU_ATOMIC_COMPARE_SCOPED(atomicCAS, type, device)                                           \
  MOCKGPU_ATOMIC_COMPARE_SCOPED(atomicCAS_block, type, block)                                      \
  MOCKGPU_ATOMIC_COMPARE_SCOPED(atomicCAS_system, type, device)
#define MOCKGPU_ATOMIC_INTEGER(type)                                                               \
  MOCKGPU_ATOMIC_FETCH(atomicAdd, type, fetch_add)                                                 \
  MOCKGPU_ATOMIC_FETCH(atomicSub, type, fetch_sub)                                                 \
  MOCKGPU_ATOMIC_FETCH(atomicAnd, type, fetch_and)                                                 \
  MOCKGPU_ATOMIC_FETCH(atomicOr, type, fetch_or)                                                   \
  MOCKGPU_ATOMIC_FETCH(atomicXor, type, fetch_xor)                                                 \
  MOCKGPU_ATOMIC_UPDATE(atomicMin, type, value < old ? value : old)                                \
  MOCKGPU_ATOMIC_UPDATE(atomicMax, type, old < value ? value : old)                                \
  MOCKGPU_ATOMIC(atomicExch, type, ::mockgpu_shim::atomic_exchange<Scope>(address, value))       \
  MOCKGPU_ATOMIC_COMPARE(type)
#define MOCKGPU_ATOMIC_FLOATING(type)                                                              \
  MOCKGPU_ATOMIC_UPDATE(atomicAdd, type, old + value)                                              \
  MOCKGPU_ATOMIC_UPDATE(atomicSub, type, old - value)                                              \
  MOCKGPU_ATOMIC_UPDATE(atomicMin, type, value < old ? value : old)                                \
  MOCKGPU_ATOMIC_UPDATE(atomicMax, type, old < value ? value : old)                                \
  MOCKGPU_ATOMIC(atomicExch, type, ::mockgpu_shim::atomic_exchange<Scope>(address, value))       \
  inline type unsafeAtomicAdd(type* address, type value) { return atomicAdd(address, value); }     \
  inline type safeAtomicAdd(type* address, type value) { return atomicAdd(address, value); }       \
  inline type atomicAddNoRet(type* address, type value) { return atomicAdd(address, value); }

MOCKGPU_ATOMIC_INTEGER(int)
MOCKGPU_ATOMIC_INTEGER(unsigned)
MOCKGPU_ATOMIC_INTEGER(long)
MOCKGPU_ATOMIC_INTEGER(unsigned long)
MOCKGPU_ATOMIC_INTEGER(long long)
MOCKGPU_ATOMIC_INTEGER(unsigned long long)
MOCKGPU_ATOMIC_FLOATING(float)
MOCKGPU_ATOMIC_FLOATING(double)
MOCKGPU_ATOMIC_COMPARE(unsigned short)
MOCKGPU_ATOMIC_COMPARE(float)
MOCKGPU_ATOMIC_COMPARE(double)
/* Up to a limit and then from 0; down to 0 and then from the limit. */
MOCKGPU_ATOMIC_UPDATE(atomicInc, unsigned, old >= value ? 0u : old + 1)
MOCKGPU_ATOMIC_UPDATE(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

#ifdef __HIP_PLATFORM_AMD__
/* clang's builtins for HIP, which name a scope. */
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  /* An atomic for its own thread orders nothing and excludes nobody: a plain access. */
  inline bool hip_is_plain(int its_scope) { return its_scope == __HIP_MEMORY_SCOPE_SINGLETHREAD; }
  template <class T> inline T& hip_plain(T volatile* address) { return *const_cast<T*>(address); }
  /* A scope as the builtins number them. That of a wavefront counts as its block's. */
  inline void announce_hip_scope(int its_scope) {
    if (its_scope <= __HIP_MEMORY_SCOPE_WORKGROUP) mockgpu_block_scope();
  }
  template <class T> struct same_type { using type = T; };
  template <class T> using given = typename same_type<T>::type; /* not deduced */
  template <class T> using bits_of_type = typename bits_of_size<sizeof(T)>::type;
  template <class T> inline bits_of_type<T>* hip_bits(T const volatile* address) {
    return reinterpret_cast<bits_of_type<T>*>(const_cast<T*>(address));
  }
  template <class T> inline T hip_load(T const volatile* address, int order, int its_scope) {
    if (hip_is_plain(its_scope)) return *const_cast<T const*>(address);
    announce_hip_scope(its_scope);
    return __builtin_bit_cast(T, __atomic_load_n(hip_bits(address), order));
  }
  template <class T>
  inline void hip_store(T volatile* address, given<T> value, int order, int its_scope) {
    if (hip_is_plain(its_scope)) {
      hip_plain(address) = value;
      return;
    }
    announce_hip_scope(its_scope);
    __atomic_store_n(hip_bits(address), __builtin_bit_cast(bits_of_type<T>, value), order);
  }
  template <class T>
  inline T hip_exchange(T volatile* address, given<T> value, int order, int its_scope) {
    if (hip_is_plain(its_scope)) {
      T const old = hip_plain(address);
      hip_plain(address) = value;
      return old;
    }
    announce_hip_scope(its_scope);
    return __builtin_bit_cast(
        T, __atomic_exchange_n(hip_bits(address), __builtin_bit_cast(bits_of_type<T>, value), order));
  }
  template <class T>
  inline bool hip_compare(T volatile* address, T* expected, given<T> value, int success, int failure,
                          int its_scope) {
    if (hip_is_plain(its_scope)) {
      T const old = hip_plain(address);
      bool const equal = __builtin_memcmp(&old, expected, sizeof old) == 0;
      if (equal)
        hip_plain(address) = value;
      else
        *expected = old;
      return equal;
    }
    auto found = __builtin_bit_cast(bits_of_type<T>, *expected);
    announce_hip_scope(its_scope);
    bool const done = __atomic_compare_exchange_n(hip_bits(address), &found,
                                                  __builtin_bit_cast(bits_of_type<T>, value), false,
                                                  success, failure);
    if (!done) *expected = __builtin_bit_cast(T, found);
    return done;
  }
  template <class T, class Update>
  inline T hip_update(T volatile* address, int order, int its_scope, Update update) {
    auto* const at = const_cast<T*>(address);
    if (hip_is_plain(its_scope)) {
      T const old = *at;
      *at = update(old);
      return old;
    }
    return its_scope <= __HIP_MEMORY_SCOPE_WORKGROUP ? atomic_update<scope::block>(at, update, order)
                                                     : atomic_update<scope::device>(at, update, order);
  }
#define MOCKGPU_HIP_UPDATE(name, expression)                                                       \
  template <class T>                                                                               \
  inline T name(T volatile* address, given<T> value, int order, int its_scope) {                   \
    return hip_update(address, order, its_scope, [=](T old) { return expression; });               \
  }
  MOCKGPU_HIP_UPDATE(hip_add, T(old + value))
  MOCKGPU_HIP_UPDATE(hip_sub, T(old - value))
  MOCKGPU_HIP_UPDATE(hip_and, T(old & value))
  MOCKGPU_HIP_UPDATE(hip_or, T(old | value))
  MOCKGPU_HIP_UPDATE(hip_xor, T(old ^ value))
  MOCKGPU_HIP_UPDATE(hip_min, value < old ? value : old)
  MOCKGPU_HIP_UPDATE(hip_max, old < value ? value : old)
#undef MOCKGPU_HIP_UPDATE
} // namespace )
#define __hip_atomic_load(address, order, scope)                                                   \
  ::mockgpu_shim::hip_load(address, order, scope)
#define __hip_atomic_store(address, value, order, scope)                                           \
  ::mockgpu_shim::hip_store(address, value, order, scope)
#define __hip_atomic_exchange(address, value, order, scope)                                        \
  ::mockgpu_shim::hip_exchange(address, value, order, scope)
#define __hip_atomic_fetch_add(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_add(address, value, order, scope)
#define __hip_atomic_fetch_sub(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_sub(address, value, order, scope)
#define __hip_atomic_fetch_and(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_and(address, value, order, scope)
#define __hip_atomic_fetch_or(address, value, order, scope)                                        \
  ::mockgpu_shim::hip_or(address, value, order, scope)
#define __hip_atomic_fetch_xor(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_xor(address, value, order, scope)
#define __hip_atomic_fetch_min(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_min(address, value, order, scope)
#define __hip_atomic_fetch_max(address, value, order, scope)                                       \
  ::mockgpu_shim::hip_max(address, value, order, scope)
#define __hip_atomic_compare_exchange_strong(address, expected, value, success, failure, scope)    \
  ::mockgpu_shim::hip_compare(address, expected, value, success, failure, scope)
#define __hip_atomic_compare_exchange_weak(address, expected, value, success, failure, scope)      \
  __hip_atomic_compare_exchange_strong(address, expected, value, success, failure, scope)
#endif

#undef MOCKGPU_ATOMIC
#undef MOCKGPU_ATOMIC_SCOPED
#undef MOCKGPU_ATOMIC_COMPARE_SCOPED
#undef MOCKGPU_ATOMIC_FETCH
#undef MOCKGPU_ATOMIC_UPDATE
#undef MOCKGPU_ATOMIC_COMPARE
#undef MOCKGPU_ATOMIC_INTEGER
#undef MOCKGPU_ATOMIC_FLOATING
#endif
