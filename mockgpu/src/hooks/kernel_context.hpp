#pragma once
/// \file What the hooks know of the running kernel.
#include <cstdint>

#include "mockgpu/abi.h"
#include "order/access.hpp"

/// A volatile read by the running thread is about to be made.
extern "C" void mockgpu_volatile_read(void);
/// The running thread of a kernel is about to do an atomic operation: others may go first.
extern "C" void mockgpu_before_atomic(void const volatile* where, unsigned size_bytes);

namespace mockgpu {

/// Whether the calling thread runs a kernel, rather than host code.
inline bool in_kernel() noexcept {
  return current_context != nullptr && current_context->operation && !current_context->host_code;
}

/// The same in host code, which may wait for queued work: it goes on then.
inline void note_host_poll(void const volatile* where, std::uint64_t value) noexcept {
  constexpr unsigned patience = 16;
  static thread_local struct {
    void const volatile* where;
    std::uint64_t value;
    unsigned same;
  } last = {};
  last.same = last.where == where && last.value == value ? last.same + 1 : 0;
  last.where = where;
  last.value = value;
  if (last.same < patience) return;
  last.same = 0;
  mockgpu_host_polls();
}

/// A thread that finds the same value in one place again and again waits for another thread to
/// change it, and lets the others go on. So does one that touches atomics very often.
inline void note_poll(void const volatile* where, std::uint64_t value) noexcept {
  constexpr unsigned patience = 16, long_patience = 4096;
  static struct {
    void const volatile* where;
    std::uint64_t value;
    unsigned same, all;
  } last = {};
  if (!in_kernel()) {
    note_host_poll(where, value);
    return;
  }
  bool const same = last.where == where && last.value == value;
  last.where = where;
  last.value = value;
  last.same = same ? last.same + 1 : 0;
  ++last.all;
  if (last.same < patience && last.all < long_patience) return;
  last.same = last.all = 0;
  mockgpu_yield();
}

} // namespace mockgpu
