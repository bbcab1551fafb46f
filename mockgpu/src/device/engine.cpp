#include "device/engine.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "device/handles.hpp"
#include "device/process.hpp"
#include "host/function_threads.hpp"
#include "host/order.hpp"
#include "host/progress.hpp"
#include "kernel/variable_table.hpp"
#include "mockgpu/assert.h"
#include "order/rules.hpp"
#include "report/environment.hpp"
#include "report/source_lookup.hpp"

namespace mockgpu {
engine::engine(options const& settings)
    : options_(settings), dialect_(find_dialect(options_.dialect)),
      faults_(options_.fault.empty() ? fault_plan() : fault_plan(options_.fault)),
      memory_(options_.device_count, options_.checked == checking_depth::threads),
      checker_(memory_, log_, options_), choices_(options_),
      scheduler_(choices_, [this](stream& on, operation& one) { return execute(on, one); }),
      devices_(std::size_t(options_.device_count)) {
  log_.name_stream(0, "host");
  for (int device = 0; device < options_.device_count; ++device) {
    device_state& state = devices_[std::size_t(device)];
    state.legacy = make_stream(device);
    state.legacy->legacy = true;
    log_.set_legacy(state.legacy->serial, device);
    log_.name_stream(state.legacy->serial,
                     device == 0 ? "default stream"
                                 : "default stream of device " + std::to_string(device));
    void* made = nullptr;
    static_cast<void>(create_pool(device, 0, &made));
    state.default_pool = state.current_pool = pools_.at(to_number(made)).get();
    state.default_pool->is_default = true;
  }
  start_devices();
  active_checker = &checker_;
  checker_.set_token_source([this] { return choices_.token(); });
  listen_to_variables([this](mockgpu_variable_record const& one, bool loaded) {
    auto const begin = reinterpret_cast<std::uintptr_t>(one.address);
    if (!loaded) {
      memory_.remove_variable(begin);
      return;
    }
    if (memory_.find(begin) != nullptr) return;
    allocation& block = memory_.add_variable(begin, one.size_bytes, 0, variable_name(one));
    block.constant = one.kind == mockgpu_constant_variable;
    block.managed = one.kind == mockgpu_managed_variable;
    if (block.managed)
      block.space = memory_space::pinned; // one for all
    else
      memory_.copy_to_other_devices(block);
  });
}

engine::~engine() {
  listen_to_variables({});
  active_checker = nullptr;
}

order_point engine::host_point() const { return {host_chain, log_.last() + 1, host_base_}; }

std::optional<status> engine::injected_fault(call_site const& site) {
  std::uint64_t const before = faults_.injected();
  std::optional<status> const result = faults_.next(site.what, site.name);
  if (faults_.failed_for_good() != status::success) fail_sticky(faults_.failed_for_good());
  if (faults_.injected() != before) {
    source_location const place = site.file != nullptr ? source_location{site.file, site.line, {}}
                                                       : locate(site.return_address);
    report_fault(faults_.calls(), site.name, place);
    if (before == 0) {
      first_fault_ = site.name;
      if (!place.file.empty())
        first_fault_ += " (" + place.file.substr(place.file.rfind('/') + 1) + ":" +
                        std::to_string(place.line) + ")";
    }
  }
  return result;
}

void engine::begin_call() {
  note_host_activity(choices_.schedule() != schedule_kind::eager &&
                     choices_.schedule() != schedule_kind::exhaustive);
  waited_ = false;
  checker_.move_host(host_point());
}

void engine::end_call() {
  for (missing_edge const& edge : options_.extra_edges)
    if (edge.how == missing_edge::kind::host_wait && edge.to == log_.last())
      if (auto const from = edge_sources_.find(issue_number(edge.from));
          from != edge_sources_.end()) {
        wait_for(from->second);
        edge_sources_.erase(from); // once: later calls that add no number must not wait again
      }
  checker_.move_host(host_point());
}

std::uint64_t engine::name_of_operation(issue_number issue) const {
  return log_.site_name_hash(issue) ^ log_.stream_of(issue);
}

void engine::explore(run_recorder& by) {
  recorder_ = &by;
  choices_.decide_by(
      [&by](choice what, unsigned alternatives) { return by.decide(what, alternatives); });
  scheduler_.record(by, host_base_);
  checker_.observe_touches(by);
}

clock_ref engine::host_order() const { return join(host_base_, host_chain, host_point().issue); }

void engine::learn(clock_ref const& order) {
  clock_ref const both = join(host_base_, order);
  if (both == host_base_) return;
  host_base_ = both;
  checker_.move_host(host_point());
}

void engine::make_progress() {
  if (!scheduler_.has_queued()) return;
  checker_.move_host(host_point());
  scheduler_.run_ready();
}

clock_ref engine::with_late_order(clock_ref base, chain_index chain, issue_number issue) const {
  // One may have learnt of another: until nothing is added.
  for (bool grown = !late_orders_.empty(); grown;) {
    grown = false;
    for (late_order const& one : late_orders_) {
      if ((one.chain == chain ? issue : covered(base, one.chain)) < one.issue) continue;
      clock_ref const both = join(base, one.learnt);
      grown = grown || both != base;
      base = both;
    }
  }
  return base;
}

bool engine::run_host_function(operation& one, order_point where) {
  order_point const place = where;
  std::shared_ptr<work> const action = std::move(one.action);
  auto const context = std::make_shared<access_context*>(nullptr);
  bool ended = false;
  {
    program_runs const within;
    ended = run_beside(
        [this, action, context, where = std::move(where)]() mutable {
          *context = &checker_.begin_host_function(std::move(where));
          action->run();
        },
        [this, context, place] {
          std::lock_guard const lock(call_guard());
          if (existing_engine() != this) return; // the program has begun anew
          host_function_ended(place, **context);
          scheduler_.end_suspended(place.chain);
          // What it has held up would run on a device, whoever is to wait for it.
          if (choices_.schedule() == schedule_kind::eager ||
              (host_is_blocked() && choices_.schedule() != schedule_kind::exhaustive))
            make_progress();
        });
  }
  if (ended) host_function_ended(place, **context);
  return ended;
}

void engine::host_function_ended(order_point const& place, access_context& context) {
  clock_ref learnt = checker_.end_host_function(context);
  if (learnt == place.base) return;
  if (late_orders_.size() >= 64 && !scheduler_.has_queued()) {
    // What the host has waited for is in its own clock, and nothing else is to come.
    std::erase_if(late_orders_, [&](late_order const& one) {
      return happens_before(one.chain, one.issue, host_point());
    });
  }
  late_orders_.push_back({place.chain, place.issue, std::move(learnt)});
}

bool engine::execute(stream& on, operation& one) {
  if (recorder_ != nullptr) {
    recorder_->runs(on.chain, one.issue, name_of_operation(one.issue), one.base);
    if (one.action && one.action->host_code()) recorder_->note_write(host_functions());
  }
  choices_.note_operation(one.issue, name_of_operation(one.issue), [&] {
    call_site const& site = log_.site(one.issue);
    return std::string(site.what) + " '" + site.name + "' (issue " + std::to_string(one.issue) +
           ", " + log_.stream_name(on.serial) + ")";
  });
  order_point where{on.chain, one.issue, with_late_order(one.base, on.chain, one.issue)};
  // A device that has failed runs nothing more, but what wants to hear of the failure.
  bool const runs = one.action && (sticky_ == status::success || one.action->runs_after_failure());
  if (runs && one.action->host_code()) {
    if (!run_host_function(one, std::move(where))) return false;
  } else {
    checker_.begin_operation(std::move(where));
    if (runs) one.action->run();
    checker_.end_operation();
  }
  if (!pending_frees_.empty()) release_pending();
  return true;
}

void engine::wait_for(order_point const& point) {
  waited_ = true;
  if (point.issue == 0 || point.chain == host_chain) return;
  if (!happens_before(point.chain, point.issue, host_point())) ++useful_waits_;
  for (;;) {
    std::uint64_t const seen = late_ends();
    if (scheduler_.run_until(point.chain, point.issue)) break;
    // A host function waits for something that another host thread has to do, by calls perhaps.
    call_guard().unlock();
    wait_for_late_end(seen, 0);
    call_guard().lock();
    waited_ = true;
    checker_.move_host(host_point());
  }
  host_base_ = join(host_base_, with_late_order(clock_after(point), point.chain, point.issue));
}

bool engine::host_has_waited_for(order_point const& point) const {
  return happens_before(point.chain, point.issue, host_point());
}

bool engine::answers_done(order_point const& point) {
  return scheduler_.query(point.chain, point.issue, host_has_waited_for(point));
}

issue_number engine::note_call(call_site const& site) {
  issue_number const issue = log_.add(site, 0);
  for (missing_edge const& edge : options_.extra_edges)
    if (edge.how == missing_edge::kind::stream_wait && edge.to == issue)
      if (auto const from = edge_sources_.find(issue_number(edge.from));
          from != edge_sources_.end())
        wait_for(from->second);
  return issue;
}

issue_number engine::enqueue(stream& on, call_site const& site, std::unique_ptr<work> action,
                             clock_ref const& extra) {
  issue_number const issue = log_.add(site, on.serial);
  clock_ref base = on.base;
  device_state& device = devices_[std::size_t(on.device)];
  if (on.legacy) {
    for (stream* const other : device.since_legacy) {
      base = join(base, clock_after(other->last()));
      other->used_since_legacy = false;
    }
    device.since_legacy.clear();
  } else if (on.blocking) {
    stream const& legacy = *device.legacy;
    if (legacy.last_issue > on.legacy_seen) {
      base = join(base, clock_after(legacy.last()));
      on.legacy_seen = legacy.last_issue;
    }
    if (!on.used_since_legacy) {
      on.used_since_legacy = true;
      device.since_legacy.push_back(&on);
    }
  }
  if (on.host_seen != host_base_) {
    base = join(base, host_base_);
    on.host_seen = host_base_;
  }
  base = join(base, extra);
  for (missing_edge const& edge : options_.extra_edges) {
    if (edge.how == missing_edge::kind::stream_wait && edge.to == issue)
      if (auto const from = edge_sources_.find(issue_number(edge.from));
          from != edge_sources_.end())
        base = join(base, clock_after(from->second));
    if (edge.from == issue) edge_sources_[issue] = {on.chain, issue, base};
  }
  on.base = base;
  on.last_issue = issue;
  on.queue.push_back({issue, base, std::move(action)});
  if (use_ && use_->check_stream && on.serial != use_->serial)
    checker_.report({.kind = kind::wrong_stream,
                     .rule = rule::stream_of_use,
                     .message = std::string(site.what) + " '" + site.name + "' is queued on " +
                                log_.stream_name(on.serial) + ", but '" + use_->program +
                                "' was given " + log_.stream_name(use_->serial),
                     .second = issue,
                     .memory_name = use_->program,
                     .once_per_site = true});
  scheduler_.queued(on);
  return issue;
}

void engine::fail_sticky(status failure) {
  if (sticky_ == status::success) sticky_ = failure; // the first one is the cause
}

void engine::say_unsupported(std::string const& name) {
  if (unsupported_.insert(name).second)
    std::fprintf(stderr, "mockgpu: error: %s is not supported\n", name.c_str());
}

pending_error& engine::pending_error_of(std::uint32_t& slot) {
  if (slot == 0 || slot > pending_errors_.size()) {
    pending_errors_.emplace_back();
    slot = std::uint32_t(pending_errors_.size());
  }
  return pending_errors_[slot - 1];
}

void engine::note_error_read(call_site const& reader, pending_error const& origin, status error) {
  if (!use_ || error == status::not_ready || origin.call > use_->calls_before) return;
  begin_call();
  checker_.report({.kind = kind::foreign_error,
                   .rule = rule::drained_error,
                   .message = "'" + reader.name + "' charges '" + use_->program + "' with status " +
                              std::to_string(static_cast<int>(error)) + " of '" + origin.site.name +
                              "', which was pending before it",
                   .first = log_.add(origin.site, 0),
                   .second = log_.add(reader, 0),
                   .memory_name = use_->program,
                   .once_per_site = true});
  end_call();
}

void engine::note_error_left(pending_error const& origin, status error) {
  if (error == status::success || error == status::not_ready || origin.has_status) return;
  checker_.report({.kind = kind::ignored_error,
                   .rule = rule::checked_launch,
                   .message = "the launch of '" + origin.site.name + "' failed with status " +
                              std::to_string(static_cast<int>(error)) +
                              ", and the program never asked for its last error",
                   .second = log_.add(origin.site, 0),
                   .once_per_site = true});
}

void engine::advise_wait(call_site const& site, std::uint64_t useful_before) {
  if (!options_.advice || useful_waits_ != useful_before) return;
  checker_.report(
      {.kind = kind::superfluous_wait,
       .rule = rule::needed_wait,
       .message = "'" + site.name + "' waits for nothing that was not waited for before",
       .second = log_.last(),
       .once_per_site = true});
}

void engine::bad_handle(call_site const& site, std::string const& what) {
  issue_number const issue = log_.add(site, 0);
  checker_.report({.kind = kind::invalid_handle,
                   .rule = rule::live_handle,
                   .message = "'" + site.name + "' was given " + what,
                   .second = issue,
                   .once_per_site = true});
}

statistics engine::counts() const {
  statistics all = statistics_;
  access_totals const accesses = total_accesses();
  all.calls = faults_.calls();
  all.faults = faults_.injected();
  all.first_fault = first_fault_;
  all.operations = scheduler_.executed_count();
  all.accesses = accesses.accesses;
  all.bytes_checked = accesses.bytes;
  return all;
}

} // namespace mockgpu
