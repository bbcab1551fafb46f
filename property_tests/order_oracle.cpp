#include "order_oracle.hpp"

#include <algorithm>
#include <utility>

namespace assay::fuzz {
namespace {

using access = order_oracle::access;
using access_kind = order_oracle::access_kind;
using bytes = order_oracle::bytes;

bytes range(void const* p, std::size_t size) {
  auto const begin = reinterpret_cast<std::uintptr_t>(p);
  return {begin, begin + size};
}

std::vector<bytes> rows(void const* p, std::size_t pitch, std::size_t width, std::size_t height) {
  std::vector<bytes> result;
  for (std::size_t k = 0; k < height; ++k)
    result.push_back(range(static_cast<char const*>(p) + k * pitch, width));
  return result;
}

void append(byte_box const& b, std::size_t dimension, char const* p, std::vector<bytes>& to) {
  if (dimension == b.extents.size()) return to.push_back(range(p, b.element_bytes));
  auto const& e = b.extents[dimension];
  for (std::size_t k = 0; k < e.count; ++k)
    append(b, dimension + 1, p + static_cast<std::ptrdiff_t>(k) * e.stride_bytes, to);
}

bool overlap(std::vector<bytes> const& a, std::vector<bytes> const& b) {
  return std::ranges::any_of(a, [&](bytes const& x) {
    return std::ranges::any_of(b,
                               [&](bytes const& y) { return x.begin < y.end && y.begin < x.end; });
  });
}

bool conflict(access const& a, access const& b) {
  bool const both_read = a.kind == access_kind::read && b.kind == access_kind::read;
  bool const both_atomic = a.kind == access_kind::atomic && b.kind == access_kind::atomic;
  return !both_read && !both_atomic && overlap(a.where, b.where);
}

} // namespace

void order_oracle::join(set& into, set const& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t k = 0; k < from.size(); ++k)
    if (from[k]) into[k] = true;
}

void order_oracle::add(std::string name, std::vector<access> accesses, set& chain) {
  chain.resize(operations_.size() + 1);
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    if (chain[k]) continue;
    for (auto const& a : operations_[k].accesses)
      if (std::ranges::any_of(accesses, [&](access const& b) { return conflict(a, b); })) {
        races_.push_back({operations_[k].name, name});
        break;
      }
  }
  chain[operations_.size()] = true;
  operations_.push_back({std::move(name), std::move(accesses)});
}

void order_oracle::device_operation(std::string name, stream_handle on,
                                    std::vector<access> accesses) {
  auto& chain = streams_[on.value];
  join(chain, host_); // what the host has seen done is done before what it issues now
  add(std::move(name), std::move(accesses), chain);
}

void order_oracle::host_access(void const* p, std::size_t size_bytes, bool write) {
  add(write ? "host write" : "host read",
      {{write ? access_kind::write : access_kind::read, {range(p, size_bytes)}}}, host_);
}

void order_oracle::synchronise(stream_handle s) { join(host_, streams_[s.value]); }
void order_oracle::synchronise_device() {
  for (auto const& [stream, chain] : streams_) join(host_, chain);
}
void order_oracle::record(event_handle e, stream_handle s) { events_[e.value] = streams_[s.value]; }
void order_oracle::wait(stream_handle s, event_handle e) {
  if (auto const found = events_.find(e.value); found != events_.end())
    join(streams_[s.value], found->second);
}
void order_oracle::new_stream(stream_handle s) { streams_[s.value].clear(); }

void order_oracle::forget(void const* base, std::size_t size_bytes) {
  bytes const gone = range(base, size_bytes);
  for (auto& op : operations_)
    for (auto& a : op.accesses)
      std::erase_if(a.where,
                    [&](bytes const& b) { return b.begin >= gone.begin && b.end <= gone.end; });
}

void* watched_runtime::allocate(std::size_t size_bytes) {
  void* const p = real_.allocate(size_bytes);
  sizes_[p] = size_bytes;
  return p;
}
void watched_runtime::release(void* p) {
  oracle_.forget(p, sizes_.at(p)); // waits for the work on this block, and for nothing else
  real_.release(p);
}
void* watched_runtime::allocate_async(std::size_t size_bytes, stream_handle on) {
  void* const p = real_.allocate_async(size_bytes, on);
  oracle_.forget(p, size_bytes); // reuse orders the block itself
  sizes_[p] = size_bytes;
  oracle_.device_operation("allocate_async", on, {{access_kind::write, {range(p, size_bytes)}}});
  return p;
}
void watched_runtime::release_async(void* p, stream_handle on) {
  oracle_.device_operation("release_async", on, {{access_kind::write, {range(p, sizes_.at(p))}}});
  real_.release_async(p, on);
}
void watched_runtime::copy_async(void* target, void const* source, std::size_t size_bytes,
                                 copy_direction direction, stream_handle on) {
  copy_2d_async(target, size_bytes, source, size_bytes, size_bytes, 1, direction, on);
}
void watched_runtime::copy_2d_async(void* target, std::size_t target_pitch_bytes,
                                    void const* source, std::size_t source_pitch_bytes,
                                    std::size_t width_bytes, std::size_t height,
                                    copy_direction direction, stream_handle on) {
  auto const from = rows(source, source_pitch_bytes, width_bytes, height);
  // Pageable memory may be read when the copy is issued, and as late as the copy runs.
  if (direction == copy_direction::host_to_device)
    for (auto const& row : from)
      oracle_.host_access(reinterpret_cast<void const*>(row.begin), row.end - row.begin, false);
  oracle_.device_operation(
      "copy", on,
      {{access_kind::read, from},
       {access_kind::write, rows(target, target_pitch_bytes, width_bytes, height)}});
  if (height == 1)
    real_.copy_async(target, source, width_bytes, direction, on);
  else
    real_.copy_2d_async(target, target_pitch_bytes, source, source_pitch_bytes, width_bytes, height,
                        direction, on);
}
void watched_runtime::fill_async(void* target, int byte, std::size_t size_bytes, stream_handle on) {
  oracle_.device_operation("fill", on, {{access_kind::write, {range(target, size_bytes)}}});
  real_.fill_async(target, byte, size_bytes, on);
}
stream_handle watched_runtime::create_stream(stream_kind kind) {
  auto const s = real_.create_stream(kind);
  oracle_.new_stream(s);
  return s;
}
void watched_runtime::synchronise(stream_handle s) {
  oracle_.synchronise(s);
  real_.synchronise(s);
}
void watched_runtime::synchronise_device() {
  oracle_.synchronise_device();
  real_.synchronise_device();
}
void watched_runtime::record(event_handle e, stream_handle s) {
  oracle_.record(e, s);
  real_.record(e, s);
}
void watched_runtime::wait(stream_handle s, event_handle e) {
  oracle_.wait(s, e);
  real_.wait(s, e);
}
void watched_runtime::launch_copy(void* target, void const* source, std::size_t size_bytes,
                                  stream_handle on) {
  oracle_.device_operation("launch_copy", on,
                           {{access_kind::read, {range(source, size_bytes)}},
                            {access_kind::write, {range(target, size_bytes)}}});
  real_.launch_copy(target, source, size_bytes, on);
}
void watched_runtime::launch_mix(std::uint64_t seed, std::span<byte_box const> reads,
                                 std::span<byte_box const> writes,
                                 std::span<byte_box const> accumulates, stream_handle on,
                                 std::string_view kernel_name) {
  std::vector<access> accesses;
  for (auto const& [kind, boxes] :
       {std::pair{access_kind::read, reads}, std::pair{access_kind::write, writes},
        std::pair{access_kind::atomic, accumulates}})
    for (auto const& b : boxes) {
      access a{kind, {}};
      append(b, 0, static_cast<char const*>(b.base), a.where);
      accesses.push_back(std::move(a));
    }
  oracle_.device_operation(std::string(kernel_name), on, std::move(accesses));
  real_.launch_mix(seed, reads, writes, accumulates, on, kernel_name);
}

} // namespace assay::fuzz
