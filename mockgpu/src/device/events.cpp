#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/hand_back.hpp"
#include "order/rules.hpp"

namespace mockgpu {

event* engine::find_event(call_site const& site, void* handle) {
  std::uintptr_t const number = to_number(handle);
  auto const found = events_.find(number);
  if (found != events_.end()) return found->second.get();
  std::uint32_t const serial = serial_of(number);
  if ((number & handle_kind_bits) == event_handles && serial != 0 && serial <= events_made_)
    bad_handle(site, "event " + std::to_string(serial) + ", which has been destroyed");
  else
    bad_handle(site, number == 0 ? "a null event" : "an event handle that was never made");
  return nullptr;
}

status engine::create_event(call_site const& site, void** handle, bool timing) {
  auto made = std::make_unique<event>();
  made->serial = ++events_made_;
  made->device = current_device();
  made->timing = timing;
  made->created = note_call(site);
  std::uintptr_t const number = make_handle(event_handles, made->serial);
  hand_back(handle, to_pointer(number));
  events_.emplace(number, std::move(made));
  return status::success;
}

status engine::destroy_event(call_site const& site, void* handle) {
  if (find_event(site, handle) == nullptr)
    return handle == nullptr ? status::invalid_handle : gone();
  static_cast<void>(note_call(site));
  events_.erase(to_number(handle)); // waits that were issued keep their record
  return status::success;
}

status engine::record_event(call_site const& site, void* event_handle, void* stream_handle) {
  event* const what = find_event(site, event_handle);
  stream* const on = find_stream(site, stream_handle);
  if (what == nullptr) return status::invalid_handle;
  if (on == nullptr) return gone();
  if (what->device != on->device) {
    checker_.report({.kind = kind::wrong_device,
                     .rule = rule::device_of_stream,
                     .message = "event " + std::to_string(what->serial) + " of device " +
                                std::to_string(what->device) + " is recorded on " +
                                log_.stream_name(on->serial) + " of device " +
                                std::to_string(on->device),
                     .second = note_call(site),
                     .once_per_site = true});
    return status::invalid_handle;
  }
  static_cast<void>(enqueue(*on, site, nullptr));
  what->recorded = on->last();
  return status::success;
}

status engine::query_event(call_site const& site, void* handle) {
  event const* const what = find_event(site, handle);
  if (what == nullptr) return status::invalid_handle;
  if (what->recorded.issue == 0) return status::success;
  if (!answers_done(what->recorded)) return status::not_ready;
  wait_for(what->recorded); // success has the force of a wait
  return status::success;
}

status engine::synchronize_event(call_site const& site, void* handle) {
  event const* const what = find_event(site, handle);
  if (what == nullptr) return status::invalid_handle;
  static_cast<void>(note_call(site));
  std::uint64_t const useful = useful_waits_;
  wait_for(what->recorded);
  advise_wait(site, useful);
  release_unused();
  return status::success;
}

status engine::elapsed_time(call_site const& site, float& milliseconds, void* start, void* stop) {
  event const* const from = find_event(site, start);
  event const* const to = find_event(site, stop);
  if (from == nullptr || to == nullptr) return status::invalid_handle;
  if (!from->timing || !to->timing || from->recorded.issue == 0 || to->recorded.issue == 0)
    return status::invalid_handle;
  for (event const* const one : {from, to})
    if (!host_has_waited_for(one->recorded) &&
        !scheduler_.seems_done(one->recorded.chain, one->recorded.issue))
      return status::not_ready;
  milliseconds = (float(to->recorded.issue) - float(from->recorded.issue)) * 1e-3f;
  return status::success;
}

} // namespace mockgpu
