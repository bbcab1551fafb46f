#pragma once
/// \file Kernels as functions of the running thread, whose accesses are calls of the hooks' own
/// entry, so that a test says exactly what a thread does and on which line.
#include <functional>
#include <type_traits>

#include "order/thread_order.hpp"
#include "any_access.hpp"
#include "scripted_run.hpp"

namespace mockgpu::tests {

/// Options of a run at depth `threads`.
[[nodiscard]] options with_threads();

/// What a kernel is given: where it is, and what it can do. Each access is at the line of its call.
struct device_thread {
  unsigned block = 0, thread = 0;

  template <class T> [[gnu::noinline]] static T load(T* from) {
    access(address_of(from), sizeof(T), access_kind::read, __builtin_return_address(0));
    return *from;
  }
  template <class T> [[gnu::noinline]] static void store(T* to, T value) {
    access(address_of(to), sizeof(T), access_kind::write, __builtin_return_address(0));
    *to = value;
  }
  template <class T> [[gnu::noinline]] static T add(T* to, T value) {
    access(address_of(to), sizeof(T), access_kind::atomic, __builtin_return_address(0));
    T const old = *to;
    *to = T(old + value);
    return old;
  }
  /// The same, as an atomic of the thread's block only.
  template <class T> [[gnu::noinline]] static T add_in_block(T* to, T value) {
    current_context->block_scope = true;
    access(address_of(to), sizeof(T), access_kind::atomic, __builtin_return_address(0));
    T const old = *to;
    *to = T(old + value);
    return old;
  }
  /// The same with a memory order, one of the compilers' numbers.
  template <class T> [[gnu::noinline]] static T add_ordered(T* to, T value, int order) {
    current_context->order = order;
    access(address_of(to), sizeof(T), access_kind::atomic, __builtin_return_address(0));
    current_context->order = __ATOMIC_RELAXED;
    T const old = *to;
    *to = T(old + value);
    return old;
  }
  /// An atomic load with a memory order.
  template <class T> [[gnu::noinline]] static T get(T* from, int order = __ATOMIC_RELAXED) {
    current_context->order = order;
    access(address_of(from), sizeof(T), access_kind::atomic_load, __builtin_return_address(0));
    current_context->order = __ATOMIC_RELAXED;
    return *from;
  }
  /// Atomic, without a use of what was there.
  template <class T> [[gnu::noinline]] static void put(T* to, T value) {
    access(address_of(to), sizeof(T), access_kind::atomic_store, __builtin_return_address(0));
    *to = value;
  }
  /// Compare and swap. \returns what was there. \param order and \param failure_order the
  /// compilers' numbers
  template <class T>
  [[gnu::noinline]] static T exchange(T* to, T expected, T value, int order = __ATOMIC_RELAXED,
                                      int failure_order = __ATOMIC_RELAXED) {
    current_context->expected = std::uint64_t(std::make_unsigned_t<T>(expected));
    current_context->order = order;
    current_context->failure_order = failure_order;
    access(address_of(to), sizeof(T), access_kind::compare_swap, __builtin_return_address(0));
    current_context->order = __ATOMIC_RELAXED;
    current_context->failure_order = __ATOMIC_RELAXED;
    T const old = *to;
    if (old == expected) *to = value;
    return old;
  }
  static void barrier();
  static void fence(thread_order::fence_scope scope = thread_order::fence_scope::device,
                    thread_order::memory_order order = thread_order::both_ways) {
    thread_order::fence(scope, order);
  }

private:
  static std::uintptr_t address_of(void const* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
};

/// Launches a one-dimensional grid on the default stream and waits for it.
void run_threads(unsigned blocks, unsigned threads, std::function<void(device_thread const&)> body);

/// The findings of one kind.
[[nodiscard]] std::vector<finding> of_kind(std::vector<finding> const&, char const* kind);

} // namespace mockgpu::tests
