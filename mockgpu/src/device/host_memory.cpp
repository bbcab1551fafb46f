// Host memory that the device can reach, and variables of the device.
#include <algorithm>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/process_memory.hpp"

namespace mockgpu {
namespace {
// Portable, mapped, I/O memory and read-only, by the vendors' numbers.
constexpr unsigned known_register_flags = 0xF;
} // namespace

engine::registered_range const* engine::registered(void const* pointer) const {
  std::uintptr_t const address = to_number(pointer);
  auto const after = registered_.upper_bound(address);
  if (after == registered_.begin()) return nullptr;
  auto const& [begin, range] = *std::prev(after);
  return address - begin < range.size_bytes ? &range : nullptr;
}

status engine::register_host(call_site const& site, void* pointer, std::size_t size_bytes,
                             unsigned flags) {
  static_cast<void>(note_call(site));
  if (pointer == nullptr || size_bytes == 0 || (flags & ~known_register_flags) != 0)
    return status::invalid_value;
  std::uintptr_t const begin = to_number(pointer);
  if (begin + size_bytes < begin || begin - shadow.begin < shadow.span)
    return status::invalid_value; // the mock's own memory is pinned or the device's already
  auto const after = registered_.lower_bound(begin);
  if (registered(pointer) != nullptr ||
      (after != registered_.end() && after->first < begin + size_bytes))
    return status::host_memory_already_registered;
  registered_[begin] = {size_bytes, flags};
  checker_.allow_device_access(begin, size_bytes);
  return status::success;
}

status engine::unregister_host(call_site const& site, void* pointer) {
  static_cast<void>(note_call(site));
  if (pointer == nullptr) return status::invalid_value;
  auto const found = registered_.find(to_number(pointer));
  if (found == registered_.end()) return status::host_memory_not_registered;
  checker_.forbid_device_access(found->first);
  registered_.erase(found);
  return status::success;
}

status engine::device_address(call_site const& site, void** device, void* host) {
  static_cast<void>(note_call(site));
  allocation const* const block = live_block(host);
  bool const pinned = block != nullptr && block->space == memory_space::pinned;
  *device = nullptr;
  if (!pinned && registered(host) == nullptr) return status::invalid_value;
  *device = host; // one address for both sides
  return status::success;
}

status engine::pinned_flags(call_site const& site, unsigned& flags, void* host) {
  static_cast<void>(note_call(site));
  if (registered_range const* const range = registered(host)) {
    flags = range->flags;
    return status::success;
  }
  allocation const* const block = live_block(host);
  if (block == nullptr || block->space != memory_space::pinned || block->managed)
    return status::invalid_value;
  flags = block->flags;
  return status::success;
}

status engine::allocate_managed(call_site const& site, void** pointer, std::size_t size_bytes,
                                unsigned flags) {
  status const result = allocate_pinned(site, pointer, size_bytes, flags);
  if (result == status::success) memory_.find(to_number(*pointer))->managed = true;
  return result;
}

status engine::advise_managed(call_site const& site, void const* pointer, std::size_t size_bytes,
                              int device) {
  static_cast<void>(note_call(site));
  allocation const* const block = live_block(pointer);
  if (block == nullptr || !block->managed) return status::invalid_value;
  if (size_bytes > block->begin + block->size_bytes - to_number(pointer))
    return status::invalid_value;
  return device == -1 || is_device(device) ? status::success : status::invalid_device;
}

status engine::prefetch_managed(call_site const& site, void const* pointer, std::size_t size_bytes,
                                int device, void* stream_handle) {
  stream* const on = find_stream(site, stream_handle);
  if (on == nullptr) return gone();
  if (status const fits = advise_managed(site, pointer, size_bytes, device);
      fits != status::success)
    return fits;
  static_cast<void>(enqueue(*on, site, nullptr));
  return status::success;
}

status engine::attach_managed(call_site const& site, void* stream, void const* pointer,
                              std::size_t size_bytes) {
  allocation const* const block = live_block(pointer);
  if (block != nullptr && size_bytes != 0 && size_bytes != block->size_bytes)
    return status::invalid_value;
  return prefetch_managed(site, pointer, 0, -1, stream);
}

pointer_facts engine::facts_of(void const* pointer) {
  if (registered(pointer) != nullptr) return {true, true, current_device()};
  allocation const* const block = live_block(pointer);
  if (block == nullptr) return {};
  return {true, block->space == memory_space::pinned, block->device, block->managed};
}

bool engine::has_shadow(void const* pointer) noexcept {
  return memory_.is_ours(to_number(pointer));
}

status engine::symbol_part(call_site const& site, void const* symbol, std::size_t offset_bytes,
                           std::size_t size_bytes, void*& part) {
  std::size_t whole = SIZE_MAX;
  if (symbol_size(site, whole, symbol) != status::success) {
    // A variable that nobody has registered is an ordinary object of the program.
    if (symbol == nullptr) return status::invalid_symbol;
    address_class const found = classify(to_number(symbol));
    if (found != address_class::library_data && found != address_class::host_data)
      return status::invalid_symbol;
    whole = SIZE_MAX;
  }
  if (offset_bytes > whole || size_bytes > whole - offset_bytes) return status::invalid_value;
  part =
      to_pointer(memory_.variables.on_device(to_number(symbol), current_device()) + offset_bytes);
  return status::success;
}

status engine::symbol_size(call_site const&, std::size_t& size_bytes, void const* symbol) {
  allocation const* const block = live_block(symbol);
  if (block == nullptr || block->begin != to_number(symbol)) return status::invalid_symbol;
  size_bytes = block->size_bytes;
  return status::success;
}

} // namespace mockgpu
