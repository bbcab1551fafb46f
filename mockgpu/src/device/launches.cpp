#include "device/engine.hpp"

namespace mockgpu {
namespace {

// The limits that both vendors' current devices share.
constexpr unsigned max_threads_per_block = 1024;
constexpr unsigned max_block[3] = {1024, 1024, 64};
constexpr std::size_t max_shared_bytes = std::size_t{227} << 10;
constexpr unsigned max_grid[3] = {0x7FFFFFFF, 65535, 65535};

bool valid(launch_request const& what) {
  unsigned long long threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (what.grid[axis] == 0 || what.grid[axis] > max_grid[axis]) return false;
    if (what.block[axis] == 0 || what.block[axis] > max_block[axis]) return false;
    threads *= what.block[axis];
  }
  return threads <= max_threads_per_block && what.shared_bytes <= max_shared_bytes;
}

} // namespace

status engine::launch(call_site const& site, launch_request const& what,
                      std::unique_ptr<work> kernel) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return status::invalid_handle;
  if (!valid(what)) return status::invalid_configuration;
  // The arguments are read now, by the host.
  for (launch_request::argument const& one : what.arguments)
    checker_.access(one.address, one.size_bytes, access_kind::read, nullptr);
  static_cast<void>(enqueue(*on, site, std::move(kernel)));
  return status::success;
}

} // namespace mockgpu
