#pragma once
/// \file What the entry points of both vendors share besides the engine.
#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "api/call.hpp"
#include "mockgpu/abi.h"

namespace mockgpu {

/// The body of an entry point: nothing of it leaves as an exception.
template <class Body> int run(call& c, Body body) noexcept {
  if (!c.permitted()) return c.finish(status::not_permitted);
  try {
    return c.finish(body());
  } catch (std::bad_alloc const&) {
    return c.finish(status::out_of_memory);
  }
}

template <typename Value> status set(Value* out, Value value) {
  if (out == nullptr) return status::invalid_value;
  *out = value;
  return status::success;
}
inline status first_failure(status a, status b) { return a != status::success ? a : b; }
/// There is a place for the result.
inline bool made(void const* out) { return out != nullptr; }

template <typename Kind>
copy_request pitched(void* target, std::size_t target_pitch, void const* source,
                     std::size_t source_pitch, std::size_t width_bytes, std::size_t rows, Kind kind,
                     bool async, void* stream) {
  return {
      target, target_pitch, source, source_pitch, width_bytes, rows, static_cast<copy_kind>(kind),
      async,  stream};
}
template <typename Kind>
copy_request linear(void* target, void const* source, std::size_t size_bytes, Kind kind, bool async,
                    void* stream) {
  return pitched(target, size_bytes, source, size_bytes, size_bytes, 1, kind, async, stream);
}

/// Flag 1 is "non-blocking" for both vendors; there is no other.
inline status create_stream(call& c, void** stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > 1) return status::invalid_value;
  return c.on().create_stream(c.site, stream, flags == 1, priority);
}
inline status create_event(call& c, void** event, bool timing) {
  return event == nullptr ? status::invalid_value : c.on().create_event(c.site, event, timing);
}
inline status elapsed(call& c, float* milliseconds, void* start, void* stop) {
  return milliseconds == nullptr ? status::invalid_value
                                 : c.on().elapsed_time(c.site, *milliseconds, start, stop);
}
inline status stream_flags(call& c, void* stream, unsigned int* flags) {
  bool blocking = false;
  status const result = c.on().stream_is_blocking(c.site, stream, blocking);
  return result == status::success ? set(flags, blocking ? 0U : 1U) : result;
}
inline status stream_priority(call& c, void* stream, int* out) {
  int priority = 0;
  status const result = c.on().stream_priority(c.site, stream, priority);
  return result == status::success ? set(out, priority) : result;
}
inline status memory_info(call& c, std::size_t* free_bytes, std::size_t* total_bytes) {
  std::size_t free = 0, total = 0;
  c.on().memory_info(free, total);
  return first_failure(set(free_bytes, free), set(total_bytes, total));
}

/// A function of the program in stream order; it may call nothing of the runtime.
template <class Function> status host_function(call& c, void* stream, Function function) {
  return c.on().host_function(c.site, stream, [function] {
    bool& inside = this_thread_errors().in_host_function;
    inside = true;
    function();
    inside = false;
  });
}

/// Fills the members that CUDA's and HIP's property structures share.
template <typename Properties> status fill_properties(call& c, Properties* p, int device) {
  if (p == nullptr) return status::invalid_value;
  if (device < 0 || device >= c.on().device_count()) return status::invalid_device;
  *p = {};
  constexpr char name[] = "mockgpu";
  std::copy(std::begin(name), std::end(name), p->name);
  p->totalGlobalMem = memory::capacity_bytes;
  p->sharedMemPerBlock = std::size_t{48} << 10;
  p->regsPerBlock = 65536;
  p->warpSize = c.on().rules().warp_size;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = 1;
  p->canMapHostMemory = p->concurrentKernels = p->asyncEngineCount = p->unifiedAddressing = 1;
  p->maxThreadsPerMultiProcessor = 2048;
  p->memoryPoolsSupported = 1;
  return status::success;
}

/// Type (0 unregistered, 1 host, 2 device) and pointers, as both vendors number and name them.
template <typename Attributes>
status fill_pointer_attributes(call& c, Attributes* out, void const* pointer) {
  if (out == nullptr) return status::invalid_value;
  *out = {};
  allocation const* const block = c.on().live_block(pointer);
  using type = decltype(out->type);
  if (block == nullptr) {
    out->type = static_cast<type>(0);
    out->device = -2;
    return status::success;
  }
  bool const pinned = block->space == memory_space::pinned;
  out->type = static_cast<type>(pinned ? 1 : 2);
  out->device = block->device;
  out->devicePointer = const_cast<void*>(pointer);
  if (pinned) out->hostPointer = const_cast<void*>(pointer);
  return status::success;
}

struct error_text {
  int code;
  char const* name;
  char const* text;
};
/// The row of a code, or the last row of the table.
template <std::size_t Size>
error_text const& find_error(error_text const (&table)[Size], int code) {
  for (auto const& row : table)
    if (row.code == code) return row;
  return table[Size - 1];
}

} // namespace mockgpu
