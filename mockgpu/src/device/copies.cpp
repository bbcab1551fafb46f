#include <cstring>
#include <memory>

#include "device/runtime.hpp"

namespace mockgpu {
namespace {

std::uintptr_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

bool is_device(copy_kind kind, bool source) {
  return kind == copy_kind::device_to_device ||
         kind == (source ? copy_kind::device_to_host : copy_kind::host_to_device);
}

/// What the addresses say, whatever the caller claims.
copy_kind kind_of_addresses(void const* target, void const* source) {
  bool const to = in_device(address_of(target)), from = in_device(address_of(source));
  if (to && from) return copy_kind::device_to_device;
  if (to) return copy_kind::host_to_device;
  return from ? copy_kind::device_to_host : copy_kind::host_to_host;
}

bool is_pageable(void const* p) { return !in_arena(address_of(p)); }

} // namespace

void runtime::watch_rows(operation& o, void const* memory, std::size_t pitch, copy_request const& r,
                         access_kind kind) {
  auto const watch_one = [&](std::uintptr_t begin, std::size_t size_bytes) {
    check.watch({begin, begin + size_bytes, kind, o.where.chain, o.where.sequence, o.issue}, o.where);
  };
  if (pitch == r.width_bytes || r.rows == 1)
    watch_one(address_of(memory), r.width_bytes * r.rows);
  else
    for (std::size_t row = 0; row < r.rows; ++row) watch_one(address_of(memory) + row * pitch, r.width_bytes);
}

status runtime::copy(call& c, copy_request const& given, void* stream_handle) {
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  copy_request r = given;
  if (r.width_bytes == 0 || r.rows == 0) return status::success;
  if (r.target == nullptr || r.source == nullptr) return status::invalid_value;
  if (r.rows > 1 && (r.target_pitch < r.width_bytes || r.source_pitch < r.width_bytes)) return status::invalid_value;
  copy_kind const actual = kind_of_addresses(r.target, r.source);
  if (r.kind == copy_kind::automatic) r.kind = actual;
  if (r.kind != actual) {
    check.report("wrong-copy-direction", "copy-direction",
                 "the direction of the copy does not fit the memory that its pointers are in", {},
                 check.describe_call(c.number, ""), memory_at(is_device(actual, false) ? r.target : r.source), 0, 0);
    return status::invalid_copy_direction;
  }
  if (actual == copy_kind::host_to_host) {
    // Host to host: the host waits for the stream, then does it itself, in either form of the call.
    host_waits_for(c.host, s->tail);
    for (std::size_t row = 0; row < r.rows; ++row) {
      auto* const to = static_cast<char*>(r.target) + row * r.target_pitch;
      auto const* const from = static_cast<char const*>(r.source) + row * r.source_pitch;
      access_range(address_of(from), r.width_bytes, access_kind::read, nullptr);
      access_range(address_of(to), r.width_bytes, access_kind::write, nullptr);
      std::memmove(to, from, r.width_bytes);
    }
    return status::success;
  }
  bool const pageable_source = is_pageable(r.source), pageable_target = is_pageable(r.target);
  // A synchronous copy reads or writes pageable memory as the host would at this call. So may an asynchronous
  // one from pageable memory, which is staged at the call or later.
  for (std::size_t row = 0; row < r.rows; ++row) {
    if (pageable_source)
      access_range(address_of(r.source) + row * r.source_pitch, r.width_bytes, access_kind::read, nullptr);
    if (!r.async && pageable_target)
      access_range(address_of(r.target) + row * r.target_pitch, r.width_bytes, access_kind::write, nullptr);
  }
  auto& o = enqueue(c, *s, "copy", c.entry_point, {});
  operation_ptr const queued = s->tail;
  if (r.async && pageable_source) watch_rows(o, r.source, r.source_pitch, r, access_kind::read);
  if (r.async && pageable_target) watch_rows(o, r.target, r.target_pitch, r, access_kind::write);
  // From pageable memory the call returns once the content is staged: the copy itself may still be pending.
  bool const host_waits = !r.async && actual != copy_kind::device_to_device && !pageable_source;
  if (pageable_source && (!r.async || scheduler_->may(true, false))) {
    // Staged at the call: the copy carries the content of this moment.
    auto staged = std::make_shared<std::vector<char>>(r.width_bytes * r.rows);
    for (std::size_t row = 0; row < r.rows; ++row)
      std::memcpy(staged->data() + row * r.width_bytes,
                  static_cast<char const*>(r.source) + row * r.source_pitch, r.width_bytes);
    copy_request from_staging = r;
    from_staging.source = staged->data();
    from_staging.source_pitch = r.width_bytes;
    o.run = [this, &o, from_staging, staged] { run_copy(o, from_staging); };
  } else {
    o.run = [this, &o, r] { run_copy(o, r); };
  }
  if (host_waits) host_waits_for(c.host, queued);
  return status::success;
}

void runtime::run_copy(operation& o, copy_request const& r) {
  accessor& by = accessor_of(o);
  for (std::size_t row = 0; row < r.rows; ++row) {
    auto* const to = static_cast<char*>(r.target) + row * r.target_pitch;
    auto const* const from = static_cast<char const*>(r.source) + row * r.source_pitch;
    bool const from_arena = !is_pageable(from), to_arena = !is_pageable(to);
    std::vector<std::pair<std::size_t, std::size_t>> undefined;
    if (from_arena) {
      undefined = check.undefined_in(address_of(from), r.width_bytes);
      check.access(by, address_of(from), r.width_bytes, access_kind::read, nullptr, false);
    }
    if (to_arena) check.access(by, address_of(to), r.width_bytes, access_kind::write, nullptr);
    std::memmove(to, from, r.width_bytes);
    // Undefined bytes travel with a copy: it is their use that is reported.
    if (!to_arena) check.undefined_host.remove(address_of(to), address_of(to) + r.width_bytes);
    for (auto const& [begin, end] : undefined) {
      if (to_arena)
        check.mark_undefined(address_of(to) + begin, end - begin);
      else
        check.undefined_host.add(address_of(to) + begin, address_of(to) + end, o.issue);
    }
  }
  if (is_pageable(r.target)) check.update_watch_bounds();
  check.flush();
}

status runtime::fill(call& c, void* target, std::size_t pitch, int byte, std::size_t width_bytes, std::size_t rows,
                     bool async, void* stream_handle) {
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  if (width_bytes == 0 || rows == 0) return status::success;
  if (is_pageable(target)) {
    check.report("wrong-copy-direction", "memory-spaces", "memset of memory that is not the device's", {},
                 check.describe_call(c.number, "write"), nullptr, 0, 0);
    return status::invalid_value;
  }
  auto& o = enqueue(c, *s, "memset", c.entry_point, {});
  operation_ptr const queued = s->tail;
  o.run = [this, &o, target, pitch, byte, width_bytes, rows] {
    accessor& by = accessor_of(o);
    for (std::size_t row = 0; row < rows; ++row) {
      auto* const to = static_cast<char*>(target) + row * pitch;
      check.access(by, address_of(to), width_bytes, access_kind::write, nullptr);
      std::memset(to, byte, width_bytes);
    }
    check.flush();
  };
  if (!async && in_pinned(address_of(target))) host_waits_for(c.host, queued);
  return status::success;
}

} // namespace mockgpu
