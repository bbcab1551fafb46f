#pragma once
/// \file What the hooks of atomic operations do in front of the operation.
#include <cstdint>

#include "order/access.hpp"

namespace mockgpu {

/// Checks one atomic access of 1, 2, 4 or 8 bytes, which demands that alignment: settles what is
/// known, and leaves everything else to the checker. What `access_context` says of atomics is set.
template <unsigned SizeBytes>
void access_atomically(std::uintptr_t address, access_kind kind, void const* caller) noexcept {
  access_context* const context = current_context;
  bool const word = SizeBytes >= 4 && address % SizeBytes == 0;
  std::uintptr_t const offset = address - shadow.begin;
  if (offset < shadow.span) {
    if (context != nullptr && context->checks == quick_checks::states) {
      if (access_known_state(*context, offset, SizeBytes, kind)) return;
    } else if (word && context != nullptr && context->checks == quick_checks::grid &&
               !context->block_scope && context->order == __ATOMIC_RELAXED &&
               atomic_changes_nothing(grid_view.global.records[offset / 8], offset, SizeBytes,
                                      grid_view.past_end) &&
               access_known_state(*context, offset, SizeBytes, kind)) {
      return;
    }
  } else if (context == nullptr || context->host_code) {
    // Host code in its own memory: of interest only where an operation in flight uses it too.
    if (address + SizeBytes - shadow.watch_begin >= shadow.watch_span + SizeBytes &&
        address - shadow.variables_begin >= shadow.variables_span)
      return;
  } else if (word && atomic_beside_arenas(*context, address, SizeBytes, caller)) {
    return;
  }
  check_access(address, SizeBytes, kind, SizeBytes, caller);
}

} // namespace mockgpu
