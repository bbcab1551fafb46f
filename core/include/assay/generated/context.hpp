#pragma once
/// \file What generated host and device files share at run time: the record of errors and the
/// streams and events of a program. Nothing here names a vendor: every runtime call stands in the
/// generated text.
#include <cstddef>
#include <new>

namespace assay::gen {

/// Statuses that generated code records itself; both vendors give them these numbers.
inline constexpr int invalid_value = 1, out_of_memory = 2;

/// The first failure since it was last asked for, as the vendor's status, and whether the running
/// call failed.
struct error_record {
  int lasterror = 0;
  bool call_failed = false;

  /// Records a status other than 0 (success). \returns whether the call succeeded.
  bool ok(int status) noexcept {
    if (status == 0) return true;
    if (lasterror == 0) lasterror = status;
    call_failed = true;
    return false;
  }
};

/// Streams and events of one program state. `streams` are those that work is queued on;
/// `internal_streams` are those that the program made and destroys, null where the caller's stream
/// is used.
template <class Stream, class Event> struct gpu_context : error_record {
  int num_streams = 0;
  int num_events = 0;
  Stream* streams = nullptr;
  Stream* internal_streams = nullptr;
  Event* events = nullptr;

  /// All handles null. \returns null when the host has no memory.
  static gpu_context* make(int stream_count, int event_count) noexcept {
    auto* const made = new (std::nothrow) gpu_context;
    if (made == nullptr) return nullptr;
    made->num_streams = stream_count;
    made->num_events = event_count;
    made->streams = new (std::nothrow) Stream[static_cast<std::size_t>(stream_count)]();
    made->internal_streams = new (std::nothrow) Stream[static_cast<std::size_t>(stream_count)]();
    made->events = new (std::nothrow) Event[static_cast<std::size_t>(event_count)]();
    if (made->streams != nullptr && made->internal_streams != nullptr && made->events != nullptr)
      return made;
    delete made;
    return nullptr;
  }

  gpu_context() = default;
  gpu_context(gpu_context const&) = delete;
  gpu_context& operator=(gpu_context const&) = delete;
  /// Frees the arrays, not what the handles name.
  ~gpu_context() {
    delete[] streams;
    delete[] internal_streams;
    delete[] events;
  }
};

/// Bytes to ask an allocator for: at least one, so that an array without elements has an address
/// too.
inline std::size_t allocation_bytes(long long element_count, std::size_t element_bytes) noexcept {
  return element_count > 0 ? static_cast<std::size_t>(element_count) * element_bytes : 1;
}

/// Bytes of an array; 0 for a count below zero.
inline std::size_t array_bytes(long long element_count, std::size_t element_bytes) noexcept {
  return element_count > 0 ? static_cast<std::size_t>(element_count) * element_bytes : 0;
}

} // namespace assay::gen
