#pragma once
/// \file What the entry points of both vendors share besides the engine.
#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "api/call.hpp"
#include "mockgpu/abi.h"
#include "order/hand_back.hpp"

namespace mockgpu {

/// The body of an entry point: nothing of it leaves as an exception.
template <class Body> int run(call& c, Body body) noexcept {
  if (!c.permitted()) return c.finish(status::not_permitted);
  try {
    if (auto const injected = c.on().injected_fault(c.site)) return c.finish(*injected);
    if (status const failed = c.on().sticky_error(); failed != status::success)
      return c.finish(failed);
    status const result = body();
    // What the device failed at shows up where the host waits for it.
    return c.finish(result == status::success ? c.on().failure_seen() : result);
  } catch (std::bad_alloc const&) {
    return c.finish(status::out_of_memory);
  }
}

template <typename Value> status set(Value* out, Value value) {
  if (out == nullptr) return status::invalid_value;
  hand_back(out, value);
  return status::success;
}
inline status first_failure(status a, status b) { return a != status::success ? a : b; }
/// The handle of the default stream of the calling thread.
inline void* const per_thread_default = reinterpret_cast<void*>(std::uintptr_t{2});
/// What a stream handle means where a null one stands for `null_stream`.
inline void* default_to(void const* stream, void* null_stream) {
  return stream == nullptr ? null_stream : const_cast<void*>(stream);
}

/// There is a place for the result.
inline bool made(void const* out) { return out != nullptr; }

/// Flag 1 is "non-blocking" for both vendors; there is no other.
inline status create_stream(call& c, void** stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > 1) return status::invalid_value;
  device_model const& device = c.on().rules().device;
  return c.on().create_stream(
      c.site, stream, flags == 1,
      std::clamp(priority, device.greatest_priority, device.least_priority));
}
/// Flags 1 to 4 are "blocking wait", "no timing" and "for other processes" for both vendors; HIP
/// has two more, for the caches.
inline status create_event(call& c, void** event, unsigned flags) {
  constexpr unsigned no_timing = 2, interprocess = 4;
  unsigned const known = c.on().rules().event_flags;
  if (event == nullptr || (flags & ~known) != 0) return status::invalid_value;
  if ((flags & interprocess) != 0 && (flags & no_timing) == 0) return status::invalid_value;
  constexpr unsigned release_to_both = 0xC0000000; // HIP's caches: one of device and system
  if ((flags & release_to_both) == release_to_both) return status::invalid_value;
  return c.on().create_event(c.site, event, (flags & no_timing) == 0);
}
inline status elapsed(call& c, float* milliseconds, void* start, void* stop) {
  return milliseconds == nullptr ? status::invalid_value
                                 : c.on().elapsed_time(c.site, *milliseconds, start, stop);
}
inline status stream_flags(call& c, void* stream, unsigned int* flags) {
  if (stream == nullptr && !c.on().rules().guarantees(rule_id::default_stream_has_flags))
    return status::invalid_value;
  bool blocking = false;
  status const result = c.on().stream_is_blocking(c.site, stream, blocking);
  return result == status::success ? set(flags, blocking ? 0U : 1U) : result;
}
inline status stream_priority(call& c, void* stream, int* out) {
  int priority = 0;
  status const result = c.on().stream_priority(c.site, stream, priority);
  return result == status::success ? set(out, priority) : result;
}
inline status stream_device(call& c, void* stream, int* out) {
  int device = 0;
  status const result = c.on().stream_device(c.site, stream, device);
  return result == status::success ? set(out, device) : result;
}
inline status priority_range(call& c, int* least, int* greatest) {
  // A place that is null is not wanted.
  if (least != nullptr) *least = c.on().rules().device.least_priority;
  if (greatest != nullptr) *greatest = c.on().rules().device.greatest_priority;
  return status::success;
}
inline status memory_info(call& c, std::size_t* free_bytes, std::size_t* total_bytes) {
  std::size_t free = 0, total = 0;
  c.on().memory_info(free, total);
  return first_failure(set(free_bytes, free), set(total_bytes, total));
}

/// A function of the program in stream order; it may call nothing of the runtime.
/// \param on_error it is called after a failure of the device too, with the status.
template <class Function>
status host_function(call& c, void* stream, bool on_error, Function function) {
  return c.on().host_function(c.site, stream, on_error, [function](status so_far) {
    bool& inside = this_thread_errors().in_host_function;
    inside = true;
    function(so_far);
    inside = false;
  });
}

/// Says which call the mock does not have.
inline status refuse(call& c) {
  c.on().say_unsupported(c.site.name);
  return status::not_supported;
}

} // namespace mockgpu
