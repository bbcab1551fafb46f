#pragma once
/// \file The device that a dialect pretends to have: limits that programs ask for and that launches
/// are checked against. Sizes in bytes, clocks in kHz.
#include <cstddef>

namespace mockgpu {

struct device_model {
  char const* name;
  char const* architecture; ///< HIP's gcnArchName
  int major, minor;
  int warp_size; ///< lanes
  int multiprocessors;
  int max_threads_per_block;
  unsigned max_block[3];
  unsigned max_grid[3];
  int max_threads_per_multiprocessor;
  int max_blocks_per_multiprocessor;
  int registers_per_block;
  std::size_t shared_per_block;       ///< without being asked for
  std::size_t shared_per_block_optin; ///< after FuncSetAttribute
  std::size_t shared_per_multiprocessor;
  std::size_t reserved_shared_per_block;
  std::size_t constant_bytes;
  int l2_bytes;
  int memory_bus_bits;
  int clock_khz, memory_clock_khz;
  int async_engines;
  int least_priority, greatest_priority; ///< of streams
  std::size_t pitch_bytes;               ///< rows of pitched memory begin at multiples of this
};

/// Has the limits of an H100-class device, but only 16 multiprocessors: blocks run one after the
/// other here, and programs size their grids by this number.
[[nodiscard]] device_model const& cuda_device() noexcept;
/// The same of an MI200-class device.
[[nodiscard]] device_model const& hip_device() noexcept;

} // namespace mockgpu
