#pragma once
/// \file Statuses. Both vendors give these the same numbers.
namespace mockgpu {

enum class status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_pitch = 12,
  invalid_symbol = 13,
  invalid_copy_direction = 21,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  unsupported_limit = 215,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  context_destroyed = 709,
  assertion = 710,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  launch_failure = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  unknown = 999,
};

} // namespace mockgpu
