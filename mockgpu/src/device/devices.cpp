// Devices: which one is current, its flags and limits, and which others it may reach.
#include <iterator>

#include "device/engine.hpp"
#include "device/handles.hpp"

namespace mockgpu {
namespace {

thread_local int selected_device = 0;

// The numbers of both vendors' limits; later ones are CUDA's alone.
constexpr std::size_t default_limits[] = {
    1024,                 // stack of a thread
    std::size_t{1} << 20, // buffer of printf
    std::size_t{8} << 20, // heap of malloc in kernels
    2,                    // depth of waits for nested launches
    2048,                 // nested launches that may be pending
    64,                   // granularity of fetches into the cache
    0,                    // persisting part of the cache
};

// Flags 1, 2 and 4 choose how the host waits, of which one can hold; the others are hints.
constexpr unsigned waiting_flags = 0x7, known_device_flags = 0xFF;

} // namespace

int engine::current_device() const noexcept { return selected_device; }

bool engine::is_device(int device) const noexcept {
  return device >= 0 && device < options_.device_count;
}

status engine::set_device(int device) {
  if (!is_device(device)) return status::invalid_device;
  selected_device = device;
  return status::success;
}

void engine::start_devices() {
  selected_device = 0;
  for (device_state& one : devices_)
    one.limits.assign(std::begin(default_limits), std::end(default_limits));
}

unsigned engine::device_flags() const { return devices_[std::size_t(current_device())].flags; }

status engine::set_device_flags(unsigned flags) {
  unsigned const waiting = flags & waiting_flags;
  if ((flags & ~known_device_flags) != 0 || (waiting & (waiting - 1)) != 0)
    return status::invalid_value;
  devices_[std::size_t(current_device())].flags = flags;
  return status::success;
}

status engine::limit(int which, std::size_t& value) const {
  auto const& limits = devices_[std::size_t(current_device())].limits;
  if (which < 0 || std::size_t(which) >= limits.size()) return status::unsupported_limit;
  value = limits[std::size_t(which)];
  return status::success;
}

status engine::set_limit(int which, std::size_t value) {
  auto& limits = devices_[std::size_t(current_device())].limits;
  if (which < 0 || std::size_t(which) >= limits.size()) return status::unsupported_limit;
  limits[std::size_t(which)] = value;
  return status::success;
}

status engine::can_access_peer(int& can, int device, int peer) const {
  if (!is_device(device) || !is_device(peer)) return status::invalid_device;
  can = device != peer;
  return status::success;
}

status engine::enable_peer_access(int peer) {
  if (!is_device(peer) || peer == current_device()) return status::invalid_device;
  if (!devices_[std::size_t(current_device())].peers.insert(peer).second)
    return status::peer_access_already_enabled;
  return status::success;
}

status engine::disable_peer_access(int peer) {
  if (!is_device(peer)) return status::invalid_device;
  if (devices_[std::size_t(current_device())].peers.erase(peer) == 0)
    return status::peer_access_not_enabled;
  return status::success;
}

bool engine::reaches(int device, allocation const& block) const {
  if (block.device == device) return true;
  if (block.pool == 0) return devices_[std::size_t(device)].peers.contains(block.device);
  // The memory of a pool goes by the pool's own list.
  auto const found = pools_.find(make_handle(pool_handles, block.pool));
  if (found == pools_.end()) return true;
  auto const access = found->second->access.find(device);
  return access != found->second->access.end() && access->second != 0;
}

status engine::peer_attribute(int& value, int attribute, int device, int peer) const {
  if (!is_device(device) || !is_device(peer) || device == peer) return status::invalid_device;
  // Rank of performance, access, native atomics, arrays.
  constexpr int answers[] = {0, 1, 1, 0};
  if (attribute < 0 || attribute >= int(std::size(answers))) return status::invalid_value;
  value = answers[attribute];
  return status::success;
}

} // namespace mockgpu
