#pragma once
/// \file What a copy, a fill and a launch are asked to do, in neutral terms.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "order/issue_log.hpp"

namespace mockgpu {

/// Where a last error comes from.
struct pending_error {
  call_site site;
  std::uint64_t call = 0; ///< its number among the calls of the process
  bool has_status = true; ///< false: nothing but the last error tells of it, and nobody asked
};

/// The vendors' copy kinds, which have equal numbers.
enum class copy_kind : int {
  host_to_host,
  host_to_device,
  device_to_host,
  device_to_device,
  by_address
};

/// Where a pointer leads.
enum class pointer_space : std::uint8_t { pageable, pinned, device };

/// What is known of a pointer; all else but `known` holds where it is true.
struct pointer_facts {
  bool known = false;
  bool pinned = false;
  int device = 0;
  bool managed = false;
};

/// Bytes, rows and slices of a box of memory.
struct box_size {
  std::size_t width_bytes = 0, rows = 1, slices = 1;
  [[nodiscard]] bool empty() const noexcept { return width_bytes == 0 || rows == 0 || slices == 0; }
};

/// A copy of a box; one row of one slice for plain copies.
struct copy_request {
  void* target = nullptr;
  std::size_t target_pitch_bytes = 0; ///< from row to row
  void const* source = nullptr;
  std::size_t source_pitch_bytes = 0;
  box_size size;
  copy_kind kind = copy_kind::by_address;
  bool async = false;
  void* stream = nullptr;
  std::size_t target_slice_bytes = 0, source_slice_bytes = 0; ///< from slice to slice
  /// A `__device__` or `__constant__` variable: device memory, wherever it lies.
  bool target_is_symbol = false, source_is_symbol = false;
  int target_device = -1, source_device = -1; ///< as a peer copy claims; -1: no claim
};

struct fill_request {
  void* target = nullptr;
  std::size_t pitch_bytes = 0;
  unsigned value = 0;
  box_size size;
  bool async = false;
  void* stream = nullptr;
  std::size_t slice_bytes = 0;
  unsigned element_bytes = 1; ///< 1, 2 or 4: how much of `value` is repeated
};

struct launch_request {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::size_t shared_bytes = 0; ///< dynamic shared memory of a block
  void* stream = nullptr;
  void const* kernel = nullptr; ///< its entry
  struct argument {
    void const* address;
    std::size_t size_bytes;
  };
  std::vector<argument> arguments; ///< read by the host at the call
};

} // namespace mockgpu
