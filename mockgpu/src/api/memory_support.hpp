#pragma once
/// \file What the copy, fill and memory calls of both vendors share. `Kind`, `Box` and the like are
/// the vendors' types, which differ in their names only.
#include "api/support.hpp"

namespace mockgpu {

template <typename Kind>
copy_request pitched(void* target, std::size_t target_pitch, void const* source,
                     std::size_t source_pitch, std::size_t width_bytes, std::size_t rows, Kind kind,
                     bool async, void* stream) {
  return {.target = target,
          .target_pitch_bytes = target_pitch,
          .source = source,
          .source_pitch_bytes = source_pitch,
          .size = {width_bytes, rows, 1},
          .kind = static_cast<copy_kind>(kind),
          .async = async,
          .stream = stream};
}
template <typename Kind>
copy_request linear(void* target, void const* source, std::size_t size_bytes, Kind kind, bool async,
                    void* stream) {
  return pitched(target, size_bytes, source, size_bytes, size_bytes, 1, kind, async, stream);
}

/// Where a position in pitched memory lies.
template <class Pitched, class Position> void* corner(Pitched const& in, Position const& at) {
  return static_cast<char*>(in.ptr) + (at.z * in.ysize + at.y) * in.pitch + at.x;
}

/// A copy in three dimensions. Arrays, whose layout is opaque, are not supported.
template <class Parameters>
status copy_box(call& c, Parameters const* what, bool async, void* stream) {
  if (what == nullptr) return status::invalid_value;
  if (what->srcArray != nullptr || what->dstArray != nullptr) return refuse(c);
  if (what->srcPtr.ptr == nullptr || what->dstPtr.ptr == nullptr) return status::invalid_value;
  copy_request request =
      pitched(corner(what->dstPtr, what->dstPos), what->dstPtr.pitch,
              corner(what->srcPtr, what->srcPos), what->srcPtr.pitch, what->extent.width,
              what->extent.height, copy_kind::by_address, async, stream);
  if constexpr (requires { what->kind; }) {
    request.kind = static_cast<copy_kind>(what->kind);
  } else {
    request.target_device = what->dstDevice;
    request.source_device = what->srcDevice;
  }
  request.size.slices = what->extent.depth;
  request.target_slice_bytes = what->dstPtr.pitch * what->dstPtr.ysize;
  request.source_slice_bytes = what->srcPtr.pitch * what->srcPtr.ysize;
  return c.on().copy(c.site, request);
}

inline status copy_peer(call& c, void* target, int target_device, void const* source,
                        int source_device, std::size_t size_bytes, bool async, void* stream) {
  copy_request request =
      linear(target, source, size_bytes, copy_kind::device_to_device, async, stream);
  request.target_device = target_device;
  request.source_device = source_device;
  return c.on().copy(c.site, request);
}

template <typename Kind>
status to_symbol(call& c, void const* symbol, std::size_t offset_bytes, void const* source,
                 std::size_t size_bytes, Kind kind, bool async, void* stream) {
  void* where = nullptr;
  if (status const found = c.on().symbol_part(c.site, symbol, offset_bytes, size_bytes, where);
      found != status::success)
    return found;
  auto const as = static_cast<copy_kind>(kind);
  if (as != copy_kind::host_to_device && as != copy_kind::device_to_device &&
      as != copy_kind::by_address)
    return status::invalid_copy_direction;
  copy_request request = linear(where, source, size_bytes, kind, async, stream);
  request.target_is_symbol = true;
  return c.on().copy(c.site, request);
}
template <typename Kind>
status from_symbol(call& c, void* target, void const* symbol, std::size_t offset_bytes,
                   std::size_t size_bytes, Kind kind, bool async, void* stream) {
  void* where = nullptr;
  if (status const found = c.on().symbol_part(c.site, symbol, offset_bytes, size_bytes, where);
      found != status::success)
    return found;
  auto const as = static_cast<copy_kind>(kind);
  if (as != copy_kind::device_to_host && as != copy_kind::device_to_device &&
      as != copy_kind::by_address)
    return status::invalid_copy_direction;
  copy_request request = linear(target, where, size_bytes, kind, async, stream);
  request.source_is_symbol = true;
  return c.on().copy(c.site, request);
}
inline status symbol_address(call& c, void** address, void const* symbol) {
  if (address == nullptr) return status::invalid_value;
  return c.on().symbol_part(c.site, symbol, 0, 0, *address);
}

inline fill_request filled(void* target, std::size_t pitch, int value, std::size_t width_bytes,
                           std::size_t rows, bool async, void* stream) {
  return {.target = target,
          .pitch_bytes = pitch,
          .value = static_cast<unsigned char>(value),
          .size = {width_bytes, rows, 1},
          .async = async,
          .stream = stream};
}
template <class Pitched, class Extent>
fill_request filled_box(Pitched const& target, int value, Extent const& extent, bool async,
                        void* stream) {
  fill_request request =
      filled(target.ptr, target.pitch, value, extent.width, extent.height, async, stream);
  request.size.slices = extent.depth;
  request.slice_bytes = target.pitch * target.ysize;
  return request;
}

inline status allocate_pinned(call& c, void** pointer, std::size_t size_bytes, unsigned flags) {
  if (pointer == nullptr || (flags & ~c.on().rules().pinned_flags) != 0)
    return status::invalid_value;
  return c.on().allocate_pinned(c.site, pointer, size_bytes, flags);
}
/// Rows that begin at addresses that suit the device.
inline status allocate_rows(call& c, void** pointer, std::size_t* pitch, std::size_t width_bytes,
                            std::size_t rows) {
  if (pointer == nullptr || pitch == nullptr) return status::invalid_value;
  std::size_t const unit = c.on().rules().device.pitch_bytes;
  if (width_bytes > SIZE_MAX - unit) return status::out_of_memory;
  *pitch = (width_bytes + unit - 1) / unit * unit;
  if (*pitch != 0 && rows > SIZE_MAX / *pitch) return status::out_of_memory;
  return c.on().allocate(c.site, pointer, *pitch * rows);
}
template <class Pitched, class Extent>
status allocate_box(call& c, Pitched* made, Extent const& extent) {
  if (made == nullptr) return status::invalid_value;
  if (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth) return status::out_of_memory;
  Pitched box = {};
  status const result =
      allocate_rows(c, &box.ptr, &box.pitch, extent.width, extent.height * extent.depth);
  box.xsize = extent.width;
  box.ysize = extent.height;
  if (result == status::success) hand_back(made, box);
  return result;
}

template <class Properties> status create_pool(call& c, void** pool, Properties const* wanted) {
  if (pool == nullptr || wanted == nullptr) return status::invalid_value;
  if (int(wanted->allocType) != 1) return status::invalid_value;     // pinned
  if (int(wanted->location.type) != 1) return status::invalid_value; // on a device
  if (int(wanted->handleTypes) != 0 && int(wanted->handleTypes) != 1) return refuse(c);
  return c.on().create_pool(wanted->location.id, wanted->maxSize, pool);
}
template <class Description>
status set_pool_access(call& c, void* pool, Description const* wanted, std::size_t count) {
  if (wanted == nullptr && count > 0) return status::invalid_value;
  for (std::size_t i = 0; i < count; ++i) {
    if (int(wanted[i].location.type) != 1) return status::invalid_value;
    if (status const result =
            c.on().set_pool_access(c.site, pool, wanted[i].location.id, int(wanted[i].flags));
        result != status::success)
      return result;
  }
  return status::success;
}
template <typename Flags, class Location>
status pool_access(call& c, void* pool, Flags* flags, Location const* location) {
  if (flags == nullptr || location == nullptr || int(location->type) != 1)
    return status::invalid_value;
  int found = 0;
  status const result = c.on().pool_access(c.site, pool, location->id, found);
  if (result == status::success) *flags = static_cast<Flags>(found);
  return result;
}

inline status block_size(call& c, void const* pointer, std::size_t* size_bytes) {
  if (size_bytes == nullptr || pointer == nullptr) return status::invalid_value;
  allocation const* const block = c.on().live_block(pointer);
  if (block == nullptr) return status::invalid_value;
  *size_bytes = block->size_bytes;
  return status::success;
}

/// Type (0 unregistered, 1 host, 2 device, 3 managed) and pointers, as both vendors number and name
/// them.
template <typename Attributes>
status fill_pointer_attributes(call& c, Attributes* out, void const* pointer) {
  if (out == nullptr) return status::invalid_value;
  *out = {};
  using type = decltype(out->type);
  pointer_facts const known = c.on().facts_of(pointer);
  out->device = known.known ? known.device : -2;
  if (!known.known) return status::success;
  out->type = static_cast<type>(known.managed ? 3 : known.pinned ? 1 : 2);
  out->devicePointer = const_cast<void*>(pointer);
  if (known.pinned) out->hostPointer = const_cast<void*>(pointer);
  return status::success;
}

} // namespace mockgpu
