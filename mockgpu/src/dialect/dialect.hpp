#pragma once
/// \file Where the vendors differ: one named flag per rule of the semantics, one table of dialects.
#include <string_view>

namespace mockgpu {

struct dialect {
  std::string_view name;
  /// D8: freeing device memory waits for the whole device (hipFree).
  bool free_synchronises_device;
  /// D8: the same for memory of a stream-ordered allocation (until ROCm 7.0).
  bool free_of_pool_memory_synchronises_device;
  /// D8: freeing pinned memory waits for the whole device (hipHostFree).
  bool host_free_synchronises_device;
  /// D8: waiting for the default stream waits for the blocking streams of the device too.
  bool default_stream_synchronise_covers_blocking;
  /// D8: hipGetLastError gives the status of the last call, success included (before 7.0).
  bool last_error_is_last_status;
  /// D8: a stream-ordered free of null is an invalid value.
  bool null_async_free_is_invalid;
  /// What the version calls answer, in the numbering of the vendor.
  int runtime_version;
  int warp_size; ///< lanes
};

/// \throws std::invalid_argument naming the dialect, if there is none of that name.
[[nodiscard]] dialect const& find_dialect(std::string_view name);

} // namespace mockgpu
