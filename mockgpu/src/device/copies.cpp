#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

std::byte* advance(void* base, std::size_t bytes) { return static_cast<std::byte*>(base) + bytes; }
std::byte const* advance(void const* base, std::size_t bytes) {
  return static_cast<std::byte const*>(base) + bytes;
}

/// Calls `row(target, source, index)` for each row of a copy.
template <class Row> void for_each_row(copy_request const& what, Row row) {
  for (std::size_t slice = 0; slice < what.size.slices; ++slice)
    for (std::size_t i = 0; i < what.size.rows; ++i)
      row(advance(what.target, slice * what.target_slice_bytes + i * what.target_pitch_bytes),
          advance(what.source, slice * what.source_slice_bytes + i * what.source_pitch_bytes),
          slice * what.size.rows + i);
}

class copy_work final : public work {
public:
  copy_work(checker& judge, copy_request const& what) : judge_(judge), what_(what) {}

  /// Takes the content of the source now: the copy may still be pending when the call returns.
  void stage() {
    std::size_t const width = what_.size.width_bytes;
    staged_.resize(width * what_.size.rows * what_.size.slices);
    for_each_row(what_, [&](void*, void const* source, std::size_t row) {
      std::memcpy(staged_.data() + row * width, source, width);
    });
  }
  /// The source is read when the copy runs: it has to stay as it is.
  void remember_source() { remembered_ = digest_of_source(); }
  void note_undefined(std::vector<host_ranges::undefined_range> parts) {
    undefined_ = std::move(parts);
  }

  void run() override {
    std::size_t const width = what_.size.width_bytes;
    if (remembered_ && *remembered_ != digest_of_source())
      for_each_row(what_, [&](void*, void const* source, std::size_t row) {
        if (row == 0) judge_.source_has_changed(source, width);
      });
    for_each_row(what_, [&](void* target, void const* source, std::size_t row) {
      judge_.transfer(target, source, width, undefined_);
      std::memmove(target, staged_.empty() ? source : staged_.data() + row * width, width);
    });
  }

private:
  [[nodiscard]] std::uint64_t digest_of_source() const {
    std::uint64_t digest = 0;
    for_each_row(what_, [&](void*, void const* source, std::size_t) {
      auto const* at = static_cast<std::byte const*>(source);
      for (std::size_t left = what_.size.width_bytes; left != 0;) {
        std::uint64_t word = 0;
        std::size_t const part = std::min(left, sizeof word);
        std::memcpy(&word, at, part);
        digest = (digest ^ word) * 0x9E3779B97F4A7C15u;
        digest ^= digest >> 32;
        at += part;
        left -= part;
      }
    });
    return digest;
  }

  checker& judge_;
  copy_request what_;
  std::optional<std::uint64_t> remembered_;
  std::vector<std::byte> staged_;
  std::vector<host_ranges::undefined_range> undefined_;
};

class fill_work final : public work {
public:
  fill_work(checker& judge, fill_request const& what) : judge_(judge), what_(what) {}
  void run() override {
    std::size_t const width = what_.size.width_bytes;
    for (std::size_t slice = 0; slice < what_.size.slices; ++slice)
      for (std::size_t row = 0; row < what_.size.rows; ++row) {
        std::byte* const target =
            advance(what_.target, slice * what_.slice_bytes + row * what_.pitch_bytes);
        judge_.access(target, width, access_kind::write, nullptr);
        if (what_.element_bytes == 1)
          std::memset(target, int(what_.value), width);
        else
          for (std::size_t at = 0; at < width; at += what_.element_bytes)
            std::memcpy(target + at, &what_.value, what_.element_bytes); // little-endian
      }
  }

private:
  checker& judge_;
  fill_request what_;
};

char const* words_for(pointer_space space) {
  return space == pointer_space::device   ? "device memory"
         : space == pointer_space::pinned ? "pinned host memory"
                                          : "host memory";
}

/// True where rows or slices of this box would share bytes.
bool folds(box_size const& size, std::size_t pitch_bytes, std::size_t slice_bytes) {
  return ((size.rows > 1 || size.slices > 1) && size.width_bytes > pitch_bytes) ||
         (size.slices > 1 && size.rows * pitch_bytes > slice_bytes);
}

/// Bytes from the first to the last of a box, or nothing where no address space is so large.
std::optional<std::size_t> extent_bytes(box_size const& size, std::size_t pitch_bytes,
                                        std::size_t slice_bytes) {
  constexpr std::size_t address_space_bytes = std::size_t{1} << 47;
  std::size_t rows = 0, slices = 0, all = size.width_bytes;
  if (__builtin_mul_overflow(size.rows - 1, pitch_bytes, &rows) ||
      __builtin_mul_overflow(size.slices - 1, slice_bytes, &slices) ||
      __builtin_add_overflow(all, rows, &all) || __builtin_add_overflow(all, slices, &all) ||
      all > address_space_bytes)
    return std::nullopt;
  return all;
}

} // namespace

bool engine::within_reach(call_site const& site, void const* begin, std::size_t pitch_bytes,
                          std::size_t slice_bytes, box_size const& size) {
  std::optional<std::size_t> const extent = extent_bytes(size, pitch_bytes, slice_bytes);
  allocation const* const block = memory_.find(to_number(begin));
  if (block == nullptr) return extent.has_value();
  std::size_t const offset = to_number(begin) - block->begin;
  // What runs over by less is done, and each byte judged: programs go on with it on devices too.
  if (extent && offset + *extent <= block->size_bytes + memory::gap_bytes(block->size_bytes))
    return true;
  checker_.report({.kind = kind::out_of_bounds,
                   .rule = rule::bounds,
                   .message = "'" + site.name + "' was given a size that ends far behind '" +
                              log_.site(block->issue).name + "' memory of " +
                              std::to_string(block->size_bytes) + " bytes",
                   .second = note_call(site),
                   .block = block,
                   .once_per_site = true});
  return false;
}

status engine::copy(call_site const& site, copy_request const& what) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return gone();
  auto const number = int(what.kind);
  if (number < 0 || number > int(copy_kind::by_address)) return status::invalid_copy_direction;
  if (what.size.empty()) return status::success;
  if (what.target == nullptr || what.source == nullptr) return status::invalid_value;
  if (folds(what.size, what.target_pitch_bytes, what.target_slice_bytes) ||
      folds(what.size, what.source_pitch_bytes, what.source_slice_bytes))
    return status::invalid_pitch;
  if (!within_reach(site, what.target, what.target_pitch_bytes, what.target_slice_bytes,
                    what.size) ||
      !within_reach(site, what.source, what.source_pitch_bytes, what.source_slice_bytes, what.size))
    return status::invalid_value;

  pointer_space const to = what.target_is_symbol ? pointer_space::device : space_of(what.target);
  pointer_space const from = what.source_is_symbol ? pointer_space::device : space_of(what.source);
  if (!right_direction(site, what, to, from)) return status::invalid_value;

  auto action = std::make_unique<copy_work>(checker_, what);
  bool const to_device = to == pointer_space::device, from_device = from == pointer_space::device;
  bool const between_hosts = !to_device && !from_device;
  bool const from_pageable = from == pointer_space::pageable;
  bool const staged_call = !what.async && from_pageable && to_device;
  if (staged_call) {
    wait_for(on->last());
    checker_.move_host(host_point()); // the source is read after the wait
  }
  if (from_pageable) {
    std::vector<host_ranges::undefined_range> undefined;
    for_each_row(what, [&](void*, void const* begin, std::size_t) {
      for (auto const& part : checker_.undefined_parts(begin, what.size.width_bytes))
        undefined.push_back(part);
      // Staged at the call, or perhaps so: either way the host may read here and now.
      checker_.access(begin, what.size.width_bytes, access_kind::copy_read, nullptr);
    });
    action->note_undefined(std::move(undefined));
    if (staged_call || (what.async && to_device && choices_.draw(choice::staging, 2) == 0))
      action->stage();
    else if (what.async && to_device && !source_is_written(what))
      action->remember_source();
  }
  bool const watch_source = !from_device && !has_shadow(what.source) && !staged_call;
  bool const watch_target = !to_device && !has_shadow(what.target);
  if (touch_observer* const touches = checker_.touches(); touches != nullptr)
    for_each_row(what, [&](void* target, void const* source, std::size_t) {
      if (watch_source) touches->use_host_memory(to_number(source), what.size.width_bytes);
      if (watch_target) touches->use_host_memory(to_number(target), what.size.width_bytes);
    });
  // The synchronous copy between devices is serialised with all work of both and of the current
  // one, before and after, whatever its stream (CUDA runtime API, cudaMemcpyPeer).
  std::vector<stream*> serialised;
  clock_ref before;
  if (!what.async && what.target_device >= 0 && what.source_device >= 0) {
    auto const consider = [&](stream& one) {
      if (one.device != what.target_device && one.device != what.source_device &&
          one.device != on->device)
        return;
      before = join(before, clock_after(one.last()));
      if (&one != on) serialised.push_back(&one);
    };
    for (device_state const& one : devices_) consider(*one.legacy);
    for (auto const& [handle, one] : streams_) consider(*one);
    for (auto const& one : destroyed_) before = join(before, clock_after(one->last()));
    // Hash tables have no order of their own.
    std::sort(serialised.begin(), serialised.end(),
              [](stream const* a, stream const* b) { return a->serial < b->serial; });
  }
  static_cast<void>(enqueue(*on, site, std::move(action), before));
  clock_ref const after = clock_after(on->last());
  for (stream* const one : serialised) static_cast<void>(enqueue(*one, site, nullptr, after));
  // Host memory without a shadow is in use from here until the host waits, whether or not the copy
  // has run already.
  if (watch_source)
    watch_host(what.source, what.source_pitch_bytes, what.source_slice_bytes, what.size, false,
               on->last());
  if (watch_target)
    watch_host(what.target, what.target_pitch_bytes, what.target_slice_bytes, what.size, true,
               on->last());
  bool const host_waits =
      between_hosts || (!what.async && !staged_call && !(to_device && from_device));
  if (host_waits)
    wait_for(on->last());
  else if (from_pageable || watch_target || !what.async)
    scheduler_.may_run_until(on->chain, on->last_issue); // no order comes of it
  return status::success;
}

bool engine::source_is_written(copy_request const& what) const {
  bool written = false;
  for_each_row(what, [&](void*, void const* source, std::size_t) {
    written = written || checker_.is_written(source, what.size.width_bytes);
  });
  return written;
}

void engine::watch_host(void const* begin, std::size_t pitch_bytes, std::size_t slice_bytes,
                        box_size const& size, bool write, order_point const& by) {
  for (std::size_t slice = 0; slice < size.slices; ++slice)
    checker_.watch({reinterpret_cast<std::uintptr_t>(advance(begin, slice * slice_bytes)),
                    size.width_bytes, pitch_bytes, size.rows, write, by});
}

bool engine::right_direction(call_site const& site, copy_request const& what, pointer_space to,
                             pointer_space from) {
  if (what.kind == copy_kind::by_address) return true;
  bool const to_device = to == pointer_space::device, from_device = from == pointer_space::device;
  bool const claims_to_device =
      what.kind == copy_kind::host_to_device || what.kind == copy_kind::device_to_device;
  bool const claims_from_device =
      what.kind == copy_kind::device_to_host || what.kind == copy_kind::device_to_device;
  // Pinned memory has one address for both sides, so that either claim is true of it.
  bool const target_fits = to == pointer_space::pinned || claims_to_device == to_device;
  bool const source_fits = from == pointer_space::pinned || claims_from_device == from_device;
  if (target_fits && source_fits) return true;
  static char const* const names[] = {"host to host", "host to device", "device to host",
                                      "device to device"};
  allocation* const block =
      memory_.find(reinterpret_cast<std::uintptr_t>(to_device ? what.target : what.source));
  checker_.report({.kind = kind::wrong_copy_direction,
                   .rule = rule::copy_direction,
                   .message = "'" + site.name + "' is to copy " + names[int(what.kind)] +
                              ", but its target is " + words_for(to) + " and its source is " +
                              words_for(from),
                   .second = note_call(site),
                   .second_access = "write",
                   .block = block,
                   .once_per_site = true});
  return false;
}

status engine::fill(call_site const& site, fill_request const& what) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return gone();
  if (what.size.empty()) return status::success;
  if (what.target == nullptr || folds(what.size, what.pitch_bytes, what.slice_bytes))
    return status::invalid_value;
  pointer_space const to = space_of(what.target);
  if (to == pointer_space::pageable) {
    checker_.report(
        {.kind = kind::wrong_copy_direction,
         .rule = rule::memory_kind,
         .message = "'" + site.name + "' is to fill host memory that no device can access",
         .second = note_call(site),
         .second_access = "write",
         .once_per_site = true});
    return status::invalid_value;
  }
  if (!within_reach(site, what.target, what.pitch_bytes, what.slice_bytes, what.size))
    return status::invalid_value;
  static_cast<void>(enqueue(*on, site, std::make_unique<fill_work>(checker_, what)));
  if (!what.async && to == pointer_space::pinned) wait_for(on->last());
  return status::success;
}

} // namespace mockgpu
