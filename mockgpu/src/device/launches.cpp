#include "device/engine.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

/// Whether the device can have such a grid, and what is wrong if not.
status check_configuration(dialect const& rules, launch_request const& what,
                           std::size_t shared_limit) {
  device_model const& device = rules.device;
  for (unsigned const blocks : what.grid)
    if (blocks == 0)
      return rules.guarantees(rule_id::zero_grid_is_invalid_value) ? status::invalid_value
                                                                   : status::invalid_configuration;
  unsigned long long threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (what.grid[axis] > device.max_grid[axis]) return status::invalid_configuration;
    if (what.block[axis] == 0 || what.block[axis] > device.max_block[axis])
      return status::invalid_configuration;
    threads *= what.block[axis];
  }
  if (threads > unsigned(device.max_threads_per_block)) return status::invalid_configuration;
  return what.shared_bytes > shared_limit ? status::invalid_value : status::success;
}

} // namespace

status engine::launch(call_site const& site, launch_request const& what,
                      std::unique_ptr<work> kernel) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return gone();
  if (on->device != current_device()) {
    checker_.report({.kind = kind::wrong_device,
                     .rule = rule::device_of_stream,
                     .message = "kernel '" + site.name + "' is launched on " +
                                log_.stream_name(on->serial) + " of device " +
                                std::to_string(on->device) + ", but the current device is " +
                                std::to_string(current_device()),
                     .second = note_call(site),
                     .once_per_site = true});
    return status::invalid_handle;
  }
  if (status const checked = check_configuration(dialect_, what, dynamic_shared_limit(what.kernel));
      checked != status::success)
    return checked;
  // The arguments are read now, by the host.
  for (launch_request::argument const& one : what.arguments)
    checker_.access(one.address, one.size_bytes, access_kind::read, nullptr);
  static_cast<void>(enqueue(*on, site, std::move(kernel)));
  return status::success;
}

} // namespace mockgpu
