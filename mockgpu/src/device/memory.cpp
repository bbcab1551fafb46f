#include <algorithm>
#include <cstring>

#include "device/runtime.hpp"
#include "mockgpu/assert.h"

namespace mockgpu {
namespace {

// New memory holds this, so that reliance on zeroes shows.
constexpr int poison_byte = 0xCB;

} // namespace

allocation* runtime::memory_at(void const* pointer) {
  return check.allocations.holding(reinterpret_cast<std::uintptr_t>(pointer));
}

accessor& runtime::accessor_of(operation& o) {
  // One operation runs at a time: its accessor is reused, with an empty memo.
  static accessor shared;
  shared = {};
  shared.where = o.where;
  shared.issue = o.issue;
  return shared;
}

status runtime::malloc(call& c, void** pointer, std::size_t size_bytes) {
  if (pointer == nullptr) return status::invalid_value;
  *pointer = nullptr;
  if (size_bytes == 0) return status::success;
  return new_memory(c, pointer, size_bytes, memory_space::device, c.host.here());
}

status runtime::malloc_host(call& c, void** pointer, std::size_t size_bytes) {
  if (pointer == nullptr) return status::invalid_value;
  *pointer = nullptr;
  if (size_bytes == 0) return status::success;
  return new_memory(c, pointer, size_bytes, memory_space::pinned, c.host.here());
}

status runtime::new_memory(call& c, void** pointer, std::size_t size_bytes, memory_space space,
                           position const& where) {
  int const region = space == memory_space::pinned ? max_devices : c.host.device;
  std::uintptr_t const begin = regions_[static_cast<std::size_t>(region)].take(size_bytes);
  if (begin == 0) return status::out_of_memory;
  allocation a;
  a.begin = begin;
  a.size_bytes = size_bytes;
  a.space = space;
  a.device = c.host.device;
  a.entry_point = c.entry_point;
  a.issue = c.number;
  auto const& added = check.allocations.add(std::move(a));
  std::memset(reinterpret_cast<void*>(begin), poison_byte, size_bytes);
  check.allocated(added, where);
  if (space != memory_space::pinned) ++statistics_.allocation_calls;
  *pointer = reinterpret_cast<void*>(begin);
  return status::success;
}

status runtime::malloc_async(call& c, void** pointer, std::size_t size_bytes, void* stream_handle, void* pool_handle) {
  if (pointer == nullptr) return status::invalid_value;
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  if (pool_handle != nullptr && !pool_handles_.contains(pool_handle)) return bad_handle(c, "pool", pool_handle);
  *pointer = nullptr;
  if (size_bytes == 0) return status::invalid_value;
  auto const& o = enqueue(c, *s, "alloc", c.entry_point, {});
  status const result = new_memory(c, pointer, size_bytes, memory_space::device_pool, o.where);
  if (result != status::success) return result;
  auto* const a = memory_at(*pointer);
  auto& pool = pool_handle != nullptr ? *pool_handles_.at(pool_handle)
                                      : *pools_[static_cast<std::size_t>(c.host.device)];
  a->pool = &pool;
  pool.used += size_bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  return status::success;
}

status runtime::free(call& c, void* pointer) {
  if (pointer == nullptr) return status::success;
  auto* const a = memory_at(pointer);
  if (a == nullptr || reinterpret_cast<std::uintptr_t>(pointer) != a->begin || a->space == memory_space::pinned) {
    check.report("invalid-handle", "lifetime", "free of a pointer that no allocation has given", {},
                 check.describe_call(c.number, "free"), a, 0, 0);
    return status::invalid_value;
  }
  if (a->free_called) return double_free(c, *a);
  ++statistics_.release_calls;
  a->free_entry_point = c.entry_point;
  check.calls.set_operation(c.number, "free", c.entry_point, c.host.chain);
  if (a->space == memory_space::device_pool) {
    // Legal, and without the mercy of a plain free: the host's position is all the order there is.
    static_cast<memory_pool*>(a->pool)->used -= a->size_bytes;
    accessor by;
    by.where = c.host.here();
    by.issue = c.number;
    scheduler_->drain(a->device);
    check.free_called(*a, by.where, c.number);
    check.freed(*a, by, false);
    check.flush();
    return status::success;
  }
  // free-orders-block: the free waits for earlier work on this block, and orders nothing else.
  scheduler_->drain(a->device);
  check.free_called(*a, c.host.here(), c.number);
  accessor by;
  check.freed(*a, by, true);
  return status::success;
}

status runtime::double_free(call& c, allocation& a) {
  check.report("double-free", "lifetime", "memory is freed a second time",
               check.describe_call(a.free_issue, "free"), check.describe_call(c.number, "free"), &a, 0, a.size_bytes);
  return status::invalid_value;
}

status runtime::free_host(call& c, void* pointer) {
  if (pointer == nullptr) return status::success;
  auto* const a = memory_at(pointer);
  if (a == nullptr || reinterpret_cast<std::uintptr_t>(pointer) != a->begin || a->space != memory_space::pinned) {
    check.report("invalid-handle", "lifetime", "free of a pointer that no allocation has given", {},
                 check.describe_call(c.number, "free"), a, 0, 0);
    return status::invalid_value;
  }
  if (a->free_called) return double_free(c, *a);
  check.calls.set_operation(c.number, "free", c.entry_point, c.host.chain);
  scheduler_->drain(-1);
  check.free_called(*a, c.host.here(), c.number);
  accessor by;
  check.freed(*a, by, true);
  return status::success;
}

status runtime::free_async(call& c, void* pointer, void* stream_handle) {
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  if (pointer == nullptr) return status::invalid_value;
  auto* const a = memory_at(pointer);
  if (a == nullptr || reinterpret_cast<std::uintptr_t>(pointer) != a->begin || a->space == memory_space::pinned)
    return free(c, pointer);
  if (a->free_called) return double_free(c, *a);
  ++statistics_.release_calls;
  a->free_entry_point = c.entry_point;
  if (a->pool != nullptr) static_cast<memory_pool*>(a->pool)->used -= a->size_bytes;
  auto& o = enqueue(c, *s, "free", c.entry_point, {});
  check.free_called(*a, c.host.here(), c.number);
  a->freed_at = o.where;
  o.run = [this, &o, a] {
    accessor& by = accessor_of(o);
    check.freed(*a, by, false);
    check.flush();
  };
  return status::success;
}

// ---- pools -------------------------------------------------------------------------------------------------

namespace {

// Attribute numbers that both vendors share.
constexpr int reserved_current = 5, reserved_high = 6, used_current = 7, used_high = 8;

} // namespace

status runtime::default_pool(call&, void** pool, int device) {
  if (pool == nullptr) return status::invalid_value;
  if (device < 0 || device >= device_count()) return status::invalid_device;
  for (auto const& [handle, p] : pool_handles_)
    if (p == pools_[static_cast<std::size_t>(device)].get()) *pool = const_cast<void*>(handle);
  return status::success;
}

status runtime::create_pool(call&, void** pool, int device) {
  if (pool == nullptr) return status::invalid_value;
  if (device < 0 || device >= device_count()) return status::invalid_device;
  auto p = std::make_unique<memory_pool>();
  p->device = device;
  *pool = pool_handle(pools_.size() + 1);
  pool_handles_[*pool] = p.get();
  pools_.push_back(std::move(p));
  return status::success;
}

status runtime::destroy_pool(call& c, void* pool) {
  auto const found = pool_handles_.find(pool);
  if (found == pool_handles_.end() || found->second->destroyed) return bad_handle(c, "pool", pool);
  if (found->second->is_default) return status::invalid_value;
  found->second->destroyed = true; // its outstanding memory lives on
  return status::success;
}

status runtime::trim_pool(call& c, void* pool) {
  // The mock keeps no unused memory, so there is nothing to give back.
  return pool_handles_.contains(pool) ? status::success : bad_handle(c, "pool", pool);
}

status runtime::set_pool_attribute(call& c, void* pool, int attribute, std::uint64_t value) {
  auto const found = pool_handles_.find(pool);
  if (found == pool_handles_.end()) return bad_handle(c, "pool", pool);
  auto& p = *found->second;
  if (attribute == used_high || attribute == reserved_high) {
    if (value != 0) return status::invalid_value; // a high mark can only be reset
    if (attribute == used_high) p.used_high = p.used;
    return status::success;
  }
  if (attribute < 1 || attribute > 4) return status::invalid_value;
  p.attributes[attribute] = value;
  return status::success;
}

status runtime::pool_attribute(call& c, void* pool, int attribute, std::uint64_t* value) {
  auto const found = pool_handles_.find(pool);
  if (found == pool_handles_.end()) return bad_handle(c, "pool", pool);
  if (value == nullptr || attribute < 1 || attribute > used_high) return status::invalid_value;
  auto const& p = *found->second;
  switch (attribute) {
  case used_current:
  case reserved_current: *value = p.used; break;
  case used_high:
  case reserved_high: *value = p.used_high; break;
  case 4: *value = p.attributes.contains(4) ? p.attributes.at(4) : 0; break;
  default: *value = p.attributes.contains(attribute) ? p.attributes.at(attribute) : 1; break;
  }
  return status::success;
}

} // namespace mockgpu
