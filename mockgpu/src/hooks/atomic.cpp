// The hooks of atomic operations: reported as atomic accesses with their memory order, then done.
// The order is raised to sequential consistency, which any order allows.
#include <cstdint>
#include <utility>

#include "hooks/atomic_access.hpp"
#include "hooks/kernel_context.hpp"
#include "order/access.hpp"

namespace {

using mockgpu::access_kind;

/// Other threads of the grid may go first. What the running one has said of its next atomic access
/// stays true of that one, and says nothing of theirs.
template <class T> void let_others_first(T const volatile* p) {
  if (!mockgpu::in_kernel()) return;
  bool const block_scope = std::exchange(mockgpu::current_context->block_scope, false);
  mockgpu_before_atomic(p, sizeof(T));
  mockgpu::current_context->block_scope = block_scope;
}

template <class T>
void note_now(T const volatile* p, void const* caller, access_kind kind, int order) {
  mockgpu::access_context* const context = mockgpu::current_context;
  if (context != nullptr) context->order = order;
  mockgpu::access_atomically<sizeof(T)>(reinterpret_cast<std::uintptr_t>(p), kind, caller);
  if (context == nullptr) return;
  context->block_scope = false;
  context->order = __ATOMIC_RELAXED;
}
template <class T> void publish(T const volatile* p) {
  if (!mockgpu::in_kernel()) mockgpu_host_publishes(p);
}

/// A load releases nothing, a store acquires nothing, whatever their order asks for.
int order_of_load(int order) { return order == __ATOMIC_SEQ_CST ? __ATOMIC_ACQUIRE : order; }
int order_of_store(int order) { return order == __ATOMIC_SEQ_CST ? __ATOMIC_RELEASE : order; }

template <class T> void note(T const volatile* p, void const* caller, int order) {
  let_others_first(p);
  note_now(p, caller, access_kind::atomic_load, order_of_load(order));
}
/// The same where the operation may write: in host code it lets others past.
template <class T>
void note_change(T const volatile* p, void const* caller, int order,
                 access_kind kind = access_kind::atomic) {
  let_others_first(p);
  note_now(p, caller, kind, order);
  publish(p);
}
/// The same for a compare-and-swap.
template <class T>
void note_swap(T const volatile* p, T expected, void const* caller, int order, int failure_order) {
  let_others_first(p);
  if (mockgpu::access_context* const context = mockgpu::current_context; context != nullptr) {
    context->expected = static_cast<std::uint64_t>(expected);
    context->failure_order = order_of_load(failure_order);
  }
  note_now(p, caller, access_kind::compare_swap, order);
  publish(p);
}

/// What an operation found, on its way back to the program.
template <class T> T found(T const volatile* p, T value) {
  mockgpu::note_poll(p, value);
  if (!mockgpu::in_kernel()) mockgpu_host_looks_at(p);
  return value;
}

} // namespace

#define HOOK(type) extern "C" __attribute__((visibility("hidden"))) type
#define CALLER __builtin_return_address(0)

#define FETCH(bits, type, name, builtin)                                                           \
  HOOK(type) __mockgpu_atomic##bits##_fetch_##name(type volatile* p, type value, int order) {      \
    note_change(p, CALLER, order);                                                                 \
    return found(p, __atomic_##builtin(p, value, __ATOMIC_SEQ_CST));                               \
  }

#define ATOMIC_HOOKS(bits, type)                                                                   \
  HOOK(type) __mockgpu_atomic##bits##_load(type const volatile* p, int order) {                    \
    note(p, CALLER, order);                                                                        \
    return found(p, __atomic_load_n(p, __ATOMIC_SEQ_CST));                                         \
  }                                                                                                \
  HOOK(void) __mockgpu_atomic##bits##_store(type volatile* p, type value, int order) {             \
    note_change(p, CALLER, order_of_store(order), access_kind::atomic_store);                      \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  HOOK(type) __mockgpu_atomic##bits##_exchange(type volatile* p, type value, int order) {          \
    note_change(p, CALLER, order, access_kind::atomic_store);                                      \
    return found(p, __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST));                              \
  }                                                                                                \
  FETCH(bits, type, add, fetch_add)                                                                \
  FETCH(bits, type, sub, fetch_sub)                                                                \
  FETCH(bits, type, and, fetch_and)                                                                \
  FETCH(bits, type, or, fetch_or)                                                                  \
  FETCH(bits, type, xor, fetch_xor)                                                                \
  FETCH(bits, type, nand, fetch_nand)                                                              \
  HOOK(int)                                                                                        \
  __mockgpu_atomic##bits##_compare_exchange_strong(type volatile* p, type* expected, type value,   \
                                                   int order, int failure_order) {                 \
    note_swap(p, *expected, CALLER, order, failure_order);                                         \
    bool const done = __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,     \
                                                  __ATOMIC_SEQ_CST);                               \
    found(p, done ? value : *expected);                                                            \
    return done;                                                                                   \
  }                                                                                                \
  HOOK(int)                                                                                        \
  __mockgpu_atomic##bits##_compare_exchange_weak(type volatile* p, type* expected, type value,     \
                                                 int order, int failure_order) {                   \
    note_swap(p, *expected, CALLER, order, failure_order);                                         \
    bool const done = __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,     \
                                                  __ATOMIC_SEQ_CST);                               \
    found(p, done ? value : *expected);                                                            \
    return done;                                                                                   \
  }                                                                                                \
  HOOK(type)                                                                                       \
  __mockgpu_atomic##bits##_compare_exchange_val(type volatile* p, type expected, type value,       \
                                                int order, int failure_order) {                    \
    note_swap(p, expected, CALLER, order, failure_order);                                          \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    return found(p, expected);                                                                     \
  }

ATOMIC_HOOKS(8, std::uint8_t)
ATOMIC_HOOKS(16, std::uint16_t)
ATOMIC_HOOKS(32, std::uint32_t)
ATOMIC_HOOKS(64, std::uint64_t)

HOOK(void) __mockgpu_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  mockgpu_fence(/*scope=*/2, order);
}
HOOK(void) __mockgpu_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
