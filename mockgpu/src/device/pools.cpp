#include <cstring>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/hand_back.hpp"

namespace mockgpu {
namespace {

// The vendors' attribute numbers.
enum attribute : int {
  reuse_follow_event_dependencies = 1,
  reuse_allow_opportunistic = 2,
  reuse_allow_internal_dependencies = 3,
  release_threshold = 4,
  reserved_current = 5,
  reserved_high = 6,
  used_current = 7,
  used_high = 8,
};

} // namespace

engine::pool* engine::find_pool(call_site const& site, void* handle) {
  auto const found = pools_.find(to_number(handle));
  if (found != pools_.end()) return found->second.get();
  bad_handle(site, "a pool handle that is not live");
  return nullptr;
}

status engine::default_pool(int device, void** handle) {
  if (device < 0 || device >= device_count()) return status::invalid_device;
  *handle =
      to_pointer(make_handle(pool_handles, devices_[std::size_t(device)].default_pool->serial));
  return status::success;
}

status engine::current_pool(int device, void** handle) {
  if (device < 0 || device >= device_count()) return status::invalid_device;
  *handle =
      to_pointer(make_handle(pool_handles, devices_[std::size_t(device)].current_pool->serial));
  return status::success;
}

status engine::set_current_pool(int device, void* handle) {
  if (device < 0 || device >= device_count()) return status::invalid_device;
  auto const found = pools_.find(to_number(handle));
  if (found == pools_.end() || found->second->device != device) return status::invalid_value;
  devices_[std::size_t(device)].current_pool = found->second.get();
  return status::success;
}

status engine::create_pool(int device, std::size_t most_bytes, void** handle) {
  if (device < 0 || device >= device_count()) return status::invalid_value;
  auto made = std::make_unique<pool>();
  made->most_bytes = most_bytes;
  made->serial = ++pools_made_;
  made->device = device;
  std::uintptr_t const number = make_handle(pool_handles, made->serial);
  hand_back(handle, to_pointer(number));
  pools_.emplace(number, std::move(made));
  return status::success;
}

status engine::destroy_pool(call_site const& site, void* handle) {
  pool* const gone = find_pool(site, handle);
  if (gone == nullptr || gone->is_default) return status::invalid_value;
  device_state& device = devices_[std::size_t(gone->device)];
  if (device.current_pool == gone) device.current_pool = device.default_pool;
  pools_.erase(to_number(handle)); // blocks that are still out live on
  return status::success;
}

status engine::set_pool_attribute(call_site const& site, void* handle, int which,
                                  void const* value) {
  pool* const on = find_pool(site, handle);
  if (on == nullptr || value == nullptr) return status::invalid_value;
  switch (which) {
  case reuse_follow_event_dependencies:
  case reuse_allow_opportunistic:
  case reuse_allow_internal_dependencies: {
    int flag;
    std::memcpy(&flag, value, sizeof flag);
    on->reuse[which - 1] = flag != 0;
    return status::success;
  }
  case release_threshold:
    std::memcpy(&on->release_threshold, value, sizeof on->release_threshold);
    return status::success;
  case reserved_high:
  case used_high: {
    std::uint64_t wanted;
    std::memcpy(&wanted, value, sizeof wanted);
    if (wanted != 0) return status::invalid_value; // a high-water mark can only be reset
    if (which == reserved_high)
      on->accounts.reset_reserved_high();
    else
      on->accounts.reset_used_high();
    return status::success;
  }
  default:
    return status::invalid_value;
  }
}

status engine::get_pool_attribute(call_site const& site, void* handle, int which, void* value) {
  pool const* const on = find_pool(site, handle);
  if (on == nullptr || value == nullptr) return status::invalid_value;
  auto const give = [value](auto number) {
    std::memcpy(value, &number, sizeof number);
    return status::success;
  };
  switch (which) {
  case reuse_follow_event_dependencies:
  case reuse_allow_opportunistic:
  case reuse_allow_internal_dependencies:
    return give(on->reuse[which - 1]);
  case release_threshold:
    return give(on->release_threshold);
  case reserved_current:
    return give(on->accounts.reserved());
  case reserved_high:
    return give(on->accounts.reserved_high());
  case used_current:
    return give(on->accounts.used());
  case used_high:
    return give(on->accounts.used_high());
  default:
    return status::invalid_value;
  }
}

status engine::set_pool_access(call_site const& site, void* handle, int device, int flags) {
  pool* const on = find_pool(site, handle);
  if (on == nullptr) return status::invalid_value;
  if (!is_device(device)) return status::invalid_device;
  if (flags != 0 && flags != 1 && flags != 3) return status::invalid_value;
  // Its own device always has access.
  if (device == on->device) return flags == 3 ? status::success : status::invalid_value;
  on->access[device] = flags;
  return status::success;
}

status engine::pool_access(call_site const& site, void* handle, int device, int& flags) {
  pool const* const on = find_pool(site, handle);
  if (on == nullptr) return status::invalid_value;
  if (!is_device(device)) return status::invalid_device;
  auto const found = on->access.find(device);
  flags = device == on->device ? 3 : found == on->access.end() ? 0 : found->second;
  return status::success;
}

status engine::trim_pool(call_site const& site, void* handle, std::uint64_t kept_bytes) {
  pool* const on = find_pool(site, handle);
  if (on == nullptr) return status::invalid_value;
  on->accounts.trim(host_point(), kept_bytes);
  return status::success;
}

void engine::release_unused() {
  for (auto& [handle, one] : pools_) one->accounts.trim(host_point(), one->release_threshold);
}

} // namespace mockgpu
