#include <algorithm>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "device/host_thread.hpp"
#include "host/order.hpp"
#include "order/hand_back.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

class host_work final : public work {
public:
  host_work(engine const& on, bool on_error, std::function<void(status)> function)
      : on_(on), on_error_(on_error), function_(std::move(function)) {}
  void run() override { function_(on_.sticky_error()); }
  bool runs_after_failure() const noexcept override { return on_error_; }
  bool host_code() const noexcept override { return true; }

private:
  engine const& on_;
  bool on_error_;
  std::function<void(status)> function_;
};

} // namespace

chain_index engine::free_chain() {
  // A slot may be used again once nothing that comes or is still to run can be unordered with its
  // last operation: the history of a byte keeps one access per slot.
  order_point const now = host_point();
  for (auto it = destroyed_.begin(); it != destroyed_.end(); ++it) {
    stream& old = **it;
    if (!old.queue.empty() || !happens_before(old.chain, old.last_issue, now) ||
        !scheduler_.all_queued_follow(old.chain, old.last_issue))
      continue;
    chain_index const chain = old.chain;
    scheduler_.remove(old);
    std::erase(devices_[std::size_t(old.device)].since_legacy, &old);
    destroyed_.erase(it);
    return chain;
  }
  return chains_used_++;
}

std::unique_ptr<stream> engine::make_stream(int device) {
  auto made = std::make_unique<stream>();
  made->serial = ++streams_made_;
  made->chain = free_chain();
  made->device = device;
  scheduler_.add(*made);
  // The legacy streams come first and have names of their own, so the first stream is stream 1.
  log_.name_stream(made->serial,
                   "stream " + std::to_string(made->serial - std::uint32_t(device_count())));
  return made;
}

stream* engine::look_up_stream(void* handle) {
  std::uintptr_t const number = to_number(handle);
  if (number <= 1) return devices_[std::size_t(current_device())].legacy.get();
  if (number == 2) return per_thread_stream(current_device());
  auto const found = streams_.find(number);
  return found == streams_.end() || found->second->per_thread ? nullptr : found->second.get();
}

stream* engine::per_thread_stream(int device) {
  std::uint32_t const thread = this_thread_number();
  std::uintptr_t& handle = thread_streams_[{thread, device}];
  if (auto const found = streams_.find(handle); found != streams_.end()) return found->second.get();
  auto made = make_stream(device);
  made->per_thread = true;
  made->baseline = true; // nobody has to destroy it
  // Named by the order of their first use, which is the same in every run of a program.
  std::size_t const ordinal =
      thread_ordinals_.try_emplace(thread, thread_ordinals_.size() + 1).first->second;
  std::string name = "per-thread default stream";
  if (ordinal > 1) name += " of host thread " + std::to_string(ordinal);
  if (device > 0) name += " of device " + std::to_string(device);
  log_.name_stream(made->serial, name);
  handle = make_handle(stream_handles, made->serial);
  return streams_.emplace(handle, std::move(made)).first->second.get();
}

void engine::end_thread(std::uint32_t thread) {
  for (auto it = thread_streams_.lower_bound({thread, 0});
       it != thread_streams_.end() && it->first.first == thread; it = thread_streams_.erase(it))
    if (auto const found = streams_.find(it->second); found != streams_.end()) {
      found->second->destroyed = true; // its queued work still runs
      destroyed_.push_back(std::move(found->second));
      streams_.erase(found);
    }
}

stream* engine::find_stream(call_site const& site, void* handle) {
  if (stream* const found = look_up_stream(handle)) return found;
  std::uintptr_t const number = to_number(handle);
  std::uint32_t const serial = serial_of(number);
  if ((number & handle_kind_bits) == stream_handles && serial != 0 && serial <= streams_made_)
    bad_handle(site, log_.stream_name(serial) + ", which has been destroyed");
  else
    bad_handle(site, "a stream handle that was never made");
  return nullptr;
}

status engine::create_stream(call_site const& site, void** handle, bool non_blocking,
                             int priority) {
  auto made = make_stream(current_device());
  made->blocking = !non_blocking;
  made->priority = priority;
  made->created = note_call(site);
  if (non_blocking) log_.set_non_blocking(made->serial, made->device);
  std::uintptr_t const number = make_handle(stream_handles, made->serial);
  hand_back(handle, to_pointer(number));
  streams_.emplace(number, std::move(made));
  return status::success;
}

status engine::destroy_stream(call_site const& site, void* handle) {
  if (to_number(handle) <= 2) {
    bad_handle(site, "the default stream, which cannot be destroyed");
    return status::invalid_handle;
  }
  if (find_stream(site, handle) == nullptr) return gone();
  static_cast<void>(note_call(site));
  auto const found = streams_.find(to_number(handle));
  found->second->destroyed = true; // its queued work still runs, at once or later
  if (found->second->last_issue != 0)
    scheduler_.may_run_until(found->second->chain, found->second->last_issue);
  destroyed_.push_back(std::move(found->second));
  streams_.erase(found);
  return status::success;
}

std::vector<order_point> engine::covered_by_waiting_for(stream const& on) const {
  std::vector<order_point> places;
  if (on.legacy && dialect_.guarantees(rule_id::default_synchronise_covers_blocking))
    for (stream const* const other : devices_[std::size_t(on.device)].since_legacy)
      places.push_back(other->last());
  places.push_back(on.last());
  return places;
}

status engine::query_stream(call_site const& site, void* handle) {
  stream* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  std::vector<order_point> const places = covered_by_waiting_for(*on);
  for (order_point const& place : places)
    if (place.issue != 0 && !answers_done(place)) return status::not_ready;
  for (order_point const& place : places) wait_for(place); // success has the force of a wait
  return status::success;
}

status engine::synchronize_stream(call_site const& site, void* handle) {
  stream* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  static_cast<void>(note_call(site));
  std::uint64_t const useful = useful_waits_;
  // Other threads may change the streams while one waits.
  for (order_point const& place : covered_by_waiting_for(*on)) wait_for(place);
  advise_wait(site, useful);
  release_unused();
  return status::success;
}

void engine::synchronize_all(int device) {
  // Other threads may change the streams while one waits.
  std::vector<order_point> places = {devices_[std::size_t(device)].legacy->last()};
  for (auto const& [number, one] : streams_)
    if (one->device == device) places.push_back(one->last());
  for (auto const& one : destroyed_)
    if (one->device == device) places.push_back(one->last());
  for (order_point const& place : places) wait_for(place);
}

status engine::synchronize_device(call_site const& site) {
  static_cast<void>(note_call(site));
  std::uint64_t const useful = useful_waits_;
  synchronize_all(current_device());
  advise_wait(site, useful);
  release_unused();
  return status::success;
}

status engine::wait_event(call_site const& site, void* stream_handle, void* event_handle) {
  stream* const on = find_stream(site, stream_handle);
  event* const what = find_event(site, event_handle);
  if (on == nullptr || what == nullptr) return status::invalid_handle;
  // The record that counts is the newest one now; a later record does not change this wait.
  clock_ref const extra = what->recorded.issue == 0 ? clock_ref() : clock_after(what->recorded);
  static_cast<void>(enqueue(*on, site, nullptr, extra));
  return status::success;
}

status engine::stream_is_blocking(call_site const& site, void* handle, bool& blocking) {
  stream const* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  blocking = on->blocking;
  return status::success;
}

status engine::stream_priority(call_site const& site, void* handle, int& priority) {
  stream const* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  priority = on->priority;
  return status::success;
}

status engine::stream_device(call_site const& site, void* handle, int& device) {
  stream const* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  device = on->device;
  return status::success;
}

status engine::stream_id(call_site const& site, void* handle, unsigned long long& id) {
  stream const* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  id = on->serial;
  return status::success;
}

status engine::host_function(call_site const& site, void* handle, bool on_error,
                             std::function<void(status)> function) {
  stream* const on = find_stream(site, handle);
  if (on == nullptr) return gone();
  start_host_order();
  static_cast<void>(
      enqueue(*on, site, std::make_unique<host_work>(*this, on_error, std::move(function))));
  return status::success;
}

status engine::reset_device(call_site const& site) {
  int const device = current_device();
  static_cast<void>(note_call(site));
  synchronize_all(device);
  issue_number const issue = log_.last();
  for (allocation& block : memory_.blocks()) {
    if (block.device != device || block.retired || block.space != memory_space::device ||
        block.variable)
      continue;
    block.rule = free_rule::orders_block;
    block.free_issue = issue;
    checker_.retire(block);
  }
  for (auto it = streams_.begin(); it != streams_.end();) {
    if (it->second->device != device) {
      ++it;
      continue;
    }
    it->second->destroyed = true;
    destroyed_.push_back(std::move(it->second));
    it = streams_.erase(it);
  }
  std::erase_if(events_, [&](auto const& entry) { return entry.second->device == device; });
  std::erase_if(pending_frees_, [](allocation const* block) { return block->retired; });
  return status::success;
}

} // namespace mockgpu
