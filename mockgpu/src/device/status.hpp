#pragma once
/// \file Statuses. Both vendors give these the same numbers.
namespace mockgpu {

enum class status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_copy_direction = 21,
  no_device = 100,
  invalid_device = 101,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  launch_failure = 719,
  not_permitted = 800,
  not_supported = 801,
  unknown = 999,
};

} // namespace mockgpu
