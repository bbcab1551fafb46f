#include <cstring>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

std::byte* advance(void* base, std::size_t bytes) { return static_cast<std::byte*>(base) + bytes; }
std::byte const* advance(void const* base, std::size_t bytes) {
  return static_cast<std::byte const*>(base) + bytes;
}

class copy_work final : public work {
public:
  copy_work(checker& judge, copy_request const& what) : judge_(judge), what_(what) {}

  /// Takes the content of the source now: the copy may still be pending when the call returns.
  void stage() {
    staged_.resize(what_.width_bytes * what_.rows);
    for (std::size_t row = 0; row < what_.rows; ++row)
      std::memcpy(staged_.data() + row * what_.width_bytes,
                  advance(what_.source, row * what_.source_pitch_bytes), what_.width_bytes);
  }
  void note_undefined(std::vector<host_ranges::undefined_range> parts) {
    undefined_ = std::move(parts);
  }

  void run() override {
    for (std::size_t row = 0; row < what_.rows; ++row) {
      void* const target = advance(what_.target, row * what_.target_pitch_bytes);
      void const* const source = advance(what_.source, row * what_.source_pitch_bytes);
      judge_.transfer(target, source, what_.width_bytes, undefined_);
      std::memmove(target, staged_.empty() ? source : staged_.data() + row * what_.width_bytes,
                   what_.width_bytes);
    }
  }

private:
  checker& judge_;
  copy_request what_;
  std::vector<std::byte> staged_;
  std::vector<host_ranges::undefined_range> undefined_;
};

class fill_work final : public work {
public:
  fill_work(checker& judge, fill_request const& what) : judge_(judge), what_(what) {}
  void run() override {
    for (std::size_t row = 0; row < what_.rows; ++row) {
      void* const target = advance(what_.target, row * what_.pitch_bytes);
      judge_.access(target, what_.width_bytes, access_kind::write, nullptr);
      std::memset(target, what_.value, what_.width_bytes);
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

} // namespace

status engine::copy(call_site const& site, copy_request const& what) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return status::invalid_handle;
  auto const number = int(what.kind);
  if (number < 0 || number > int(copy_kind::by_address)) return status::invalid_copy_direction;
  if (what.width_bytes == 0 || what.rows == 0) return status::success;
  if (what.target == nullptr || what.source == nullptr) return status::invalid_value;
  if (what.rows > 1 &&
      (what.width_bytes > what.target_pitch_bytes || what.width_bytes > what.source_pitch_bytes))
    return status::invalid_value;

  pointer_space const to = space_of(what.target), from = space_of(what.source);
  bool const to_device = to == pointer_space::device, from_device = from == pointer_space::device;
  bool const claims_to_device =
      what.kind == copy_kind::host_to_device || what.kind == copy_kind::device_to_device;
  bool const claims_from_device =
      what.kind == copy_kind::device_to_host || what.kind == copy_kind::device_to_device;
  if (what.kind != copy_kind::by_address &&
      (claims_to_device != to_device || claims_from_device != from_device)) {
    static char const* const names[] = {"host to host", "host to device", "device to host",
                                        "device to device"};
    allocation const* const block =
        memory_.find(reinterpret_cast<std::uintptr_t>(to_device ? what.target : what.source));
    checker_.report({.kind = kind::wrong_copy_direction,
                     .rule = rule::copy_direction,
                     .message = "'" + site.name + "' is to copy " + names[number] +
                                ", but its target is " + words_for(to) + " and its source is " +
                                words_for(from),
                     .second = note_call(site),
                     .second_access = "write",
                     .block = block,
                     .once_per_site = true});
    return status::invalid_value;
  }

  auto action = std::make_unique<copy_work>(checker_, what);
  bool const between_hosts = !to_device && !from_device;
  bool const from_pageable = from == pointer_space::pageable,
             to_pageable = to == pointer_space::pageable;
  bool const staged_call = !what.async && from_pageable && to_device;
  if (staged_call) {
    wait_for(on->last());
    checker_.move_host(host_point()); // the source is read after the wait
  }
  if (from_pageable) {
    std::vector<host_ranges::undefined_range> undefined;
    for (std::size_t row = 0; row < what.rows; ++row) {
      std::byte const* const begin = advance(what.source, row * what.source_pitch_bytes);
      for (auto const& part : checker_.undefined_parts(begin, what.width_bytes))
        undefined.push_back(part);
      // Staged at the call, or perhaps so: either way the host may read here and now.
      checker_.access(begin, what.width_bytes, access_kind::copy_read, nullptr);
    }
    action->note_undefined(std::move(undefined));
    if (staged_call || (what.async && to_device && choices_.draw(choice::staging, 2) == 0))
      action->stage();
  }
  if (touch_observer* const touches = checker_.touches(); touches != nullptr)
    for (std::size_t row = 0; row < what.rows; ++row) {
      if (from_pageable && !staged_call)
        touches->use_host_memory(to_number(what.source) + row * what.source_pitch_bytes,
                                 what.width_bytes);
      if (to_pageable)
        touches->use_host_memory(to_number(what.target) + row * what.target_pitch_bytes,
                                 what.width_bytes);
    }
  static_cast<void>(enqueue(*on, site, std::move(action)));
  // Pageable ranges are in use from here until the host waits, whether or not the copy has run
  // already.
  if (from_pageable && !staged_call)
    checker_.watch({reinterpret_cast<std::uintptr_t>(what.source), what.width_bytes,
                    what.source_pitch_bytes, what.rows, false, on->last()});
  if (to_pageable)
    checker_.watch({reinterpret_cast<std::uintptr_t>(what.target), what.width_bytes,
                    what.target_pitch_bytes, what.rows, true, on->last()});
  bool const host_waits =
      between_hosts || (!what.async && !staged_call && !(to_device && from_device));
  if (host_waits) wait_for(on->last());
  return status::success;
}

status engine::fill(call_site const& site, fill_request const& what) {
  stream* const on = find_stream(site, what.stream);
  if (on == nullptr) return status::invalid_handle;
  if (what.width_bytes == 0 || what.rows == 0) return status::success;
  if (what.target == nullptr || (what.rows > 1 && what.width_bytes > what.pitch_bytes))
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
  static_cast<void>(enqueue(*on, site, std::make_unique<fill_work>(checker_, what)));
  if (!what.async && to == pointer_space::pinned) wait_for(on->last());
  return status::success;
}

} // namespace mockgpu
