#include "device/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <unistd.h>

#include "dialect/dialect.hpp"
#include "mockgpu/assert.h"
#include "report/sink.hpp"
#include "report/source_line.hpp"

namespace mockgpu {

accessor* running_operation = nullptr;
std::uint64_t access_count = 0;

namespace {

thread_local host_thread* current_thread = nullptr;
thread_local std::uint64_t current_thread_generation = 0;

// Handles look like pointers that no program dereferences by accident, and are never given out twice.
void* make_handle(std::size_t kind, std::size_t number) {
  return reinterpret_cast<void*>(0x7000'0000'0000ULL + (kind << 40) + number * 64);
}
constexpr std::size_t stream_handle_kind = 1, event_handle_kind = 2, pool_handle_kind = 3;

} // namespace

void* runtime::pool_handle(std::size_t number) { return make_handle(pool_handle_kind, number); }

runtime& the_runtime() {
  // Never destroyed: libraries may call the runtime from their own destructors.
  static runtime& instance = *new runtime;
  return instance;
}

runtime::runtime() { reset(options_from_environment()); }

void runtime::configure(options const& o) {
  std::lock_guard const lock(mutex_);
  if (used_) throw std::logic_error("mockgpu is configured after the first call of the runtime");
  auto sink = check.sink;
  reset(o);
  check.sink = std::move(sink);
}

void runtime::reset(options const& o) {
  std::lock_guard const lock(mutex_);
  (void)check_dialect(o.dialect);
  if (o.device_count < 1 || o.device_count > max_devices)
    throw std::invalid_argument("device_count is " + std::to_string(o.device_count) + " (1 to " +
                                std::to_string(max_devices) + " are possible)");
  reserve_arenas();
  for (auto& [address, a] : check.allocations.all())
    if (!a.freed) give_back_pages(a.begin, a.size_bytes);
  options_ = o;
  used_ = false;
  ++generation_;
  auto sink = check.sink ? check.sink : default_sink();
  check = checker{};
  check.sink = std::move(sink);
  check.source_line = &source_line_of;
  check.chain_name = [this](chain_id c) { return chains_[index(c)]; };
  check.is_host_chain = [this](chain_id c) { return static_cast<bool>(host_chains_[index(c)]); };
  scheduler_ = std::make_unique<scheduler>(o.schedule, o.seed);
  streams_.clear();
  events_.clear();
  pools_.clear();
  stream_handles_.clear();
  event_handles_.clear();
  pool_handles_.clear();
  chains_.clear();
  host_chains_.clear();
  threads_.clear();
  edge_sources_.clear();
  named_ranges_.clear();
  statistics_ = {};
  access_count = 0;
  use_.reset();
  if (regions_.empty()) // addresses are never given out twice, not even after a reset
    for (int r = 0; r <= max_devices; ++r) regions_.emplace_back(r);
  for (int d = 0; d < o.device_count; ++d) {
    auto s = std::make_unique<stream>();
    s->device = d;
    s->legacy = true;
    s->baseline = true;
    s->chain = new_chain(o.device_count > 1 ? "legacy default stream of device " + std::to_string(d)
                                            : "legacy default stream",
                         false);
    scheduler_->add(*s);
    streams_.push_back(std::move(s));
    auto pool = std::make_unique<memory_pool>();
    pool->device = d;
    pool->is_default = true;
    pool_handles_[pool_handle(pools_.size() + 1)] = pool.get();
    pools_.push_back(std::move(pool));
  }
}

chain_id runtime::new_chain(std::string name, bool host) {
  auto const id = static_cast<chain_id>(chains_.size());
  chains_.push_back(std::move(name));
  host_chains_.push_back(host);
  return id;
}

host_thread& runtime::this_thread() {
  if (current_thread == nullptr || current_thread_generation != generation_) {
    auto thread = std::make_unique<host_thread>();
    thread->chain = new_chain("host thread " + std::to_string(threads_.size()), true);
    thread->access.is_host = true;
    current_thread = thread.get();
    current_thread_generation = generation_;
    threads_.push_back(std::move(thread));
  }
  return *current_thread;
}

accessor& runtime::host_accessor() {
  auto& thread = this_thread();
  // What host code does now comes behind its last call, whose operation does not see it; the next call's does.
  std::uint64_t const now = thread.calls + 1;
  if (thread.access.where.sequence != now || thread.access.where.base != thread.known) {
    thread.access.memo.fill({});
    thread.access.where = thread.here();
    thread.access.where.sequence = thread.access.where.host_sequence = now;
  }
  thread.access.issue = check.calls.last();
  return thread.access;
}

// ---- calls -------------------------------------------------------------------------------------------------

runtime::call::call(char const* name, void const* return_address)
    : owner(the_runtime()), host((owner.mutex_.lock(), owner.this_thread())), entry_point(name),
      lock_(owner.mutex_, std::adopt_lock) {
  owner.used_ = true;
  owner.check.flush();
  ++host.calls;
  number = owner.check.calls.begin(entry_point, return_address);
}

runtime::call::~call() {
  if (running_operation != nullptr) return; // called from a host function: the engine is at work already
  owner.add_extra_waits(*this);
  owner.scheduler_->after_call();
}

int runtime::call::finish(status s) noexcept {
  if (s != status::success && s != status::not_ready) host.last_error = s;
  return static_cast<int>(s);
}

void runtime::add_extra_waits(call& c) {
  for (auto const& edge : options_.extra_edges)
    if (edge.how == missing_edge::kind::host_wait && edge.to == c.number)
      for (auto const& o : edge_sources_)
        if (o->issue == edge.from) host_waits_for(c.host, o);
}

void runtime::host_waits_for(host_thread& host, operation_ptr const& o) {
  if (o == nullptr) return;
  scheduler_->run_until_done(*o);
  if (!host.here().is_after(o->where.chain, o->where.sequence)) {
    vector_clock learned = o->where.clock();
    host.known = joined(host.known, std::make_shared<vector_clock>(std::move(learned)));
  }
  check.retire_watches(host.here());
}

void runtime::order_after(stream& s, position& where, std::vector<operation_ptr>& after,
                          operation_ptr const& before) {
  if (before == nullptr || where.is_after(before->where.chain, before->where.sequence)) {
    if (before != nullptr && !before->done && before->queue != &s) after.push_back(before);
    return;
  }
  auto const learned = std::make_shared<vector_clock>(before->where.clock());
  s.known = joined(s.known, learned);
  where.base = joined(where.base, learned);
  if (!before->done && before->queue != &s) after.push_back(before);
}

operation& runtime::enqueue(call& c, stream& s, std::string_view what, std::string_view name,
                            std::function<void()> run, std::vector<operation_ptr> after) {
  auto o = std::make_shared<operation>();
  s.known = joined(s.known, c.host.known);
  o->where = {s.chain, ++s.issued, c.host.chain, c.host.calls, s.known};
  o->issue = c.number;
  o->queue = &s;
  o->after = std::move(after);
  if (s.legacy) {
    for (auto const& other : streams_)
      if (other->blocking && !other->legacy && other->device == s.device && other->tail != nullptr &&
          other->joined_by_legacy < other->issued) {
        order_after(s, o->where, o->after, other->tail);
        other->joined_by_legacy = other->issued;
      }
  } else if (s.blocking) {
    auto& barrier = legacy(s.device);
    if (barrier.tail != nullptr && s.joined_legacy < barrier.issued) {
      order_after(s, o->where, o->after, barrier.tail);
      s.joined_legacy = barrier.issued;
    }
  }
  for (auto const& edge : options_.extra_edges) {
    if (edge.how == missing_edge::kind::stream_wait && edge.to == c.number)
      for (auto const& source : edge_sources_)
        if (source->issue == edge.from) order_after(s, o->where, o->after, source);
    if (edge.from == c.number) edge_sources_.push_back(o);
  }
  o->run = std::move(run);
  check.calls.set_operation(c.number, what, name, s.chain);
  if (use_ && use_->expected != nullptr && use_->expected != &s) {
    auto const second = check.describe_call(c.number, "");
    check.report("wrong-stream", "callers-stream",
                 "program '" + use_->program + "' queues work on a stream that is not its caller's (" +
                     chains_[index(use_->expected->chain)] + ")",
                 {}, second, nullptr, 0, 0);
  }
  s.tail = o;
  s.pending.push_back(o);
  ++statistics_.operations;
  return *o;
}

status runtime::bad_handle(call& c, std::string_view what, void* handle) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", handle);
  check.report("invalid-handle", "handles", std::string(what) + " " + address + " does not exist or was destroyed",
               {}, check.describe_call(c.number, ""), nullptr, 0, 0);
  return status::invalid_handle;
}

stream* runtime::find_stream(void* handle) {
  auto const value = reinterpret_cast<std::uintptr_t>(handle);
  if (value == 0 || value == 1) return &legacy(this_thread().device);
  auto const found = stream_handles_.find(handle);
  return found != stream_handles_.end() && !found->second->destroyed ? found->second : nullptr;
}

event* runtime::find_event(void* handle) {
  auto const found = event_handles_.find(handle);
  return found != event_handles_.end() && !found->second->destroyed ? found->second : nullptr;
}

// ---- streams -----------------------------------------------------------------------------------------------

status runtime::create_stream(call& c, void** handle, bool blocking, int priority) {
  if (handle == nullptr) return status::invalid_value;
  auto s = std::make_unique<stream>();
  s->device = c.host.device;
  s->blocking = blocking;
  s->priority = priority;
  s->chain = new_chain("stream " + std::to_string(streams_.size() - static_cast<std::size_t>(device_count()) + 1),
                       false);
  scheduler_->add(*s);
  *handle = make_handle(stream_handle_kind, streams_.size());
  stream_handles_[*handle] = s.get();
  streams_.push_back(std::move(s));
  return status::success;
}

status runtime::destroy_stream(call& c, void* handle) {
  auto* const s = find_stream(handle);
  if (s == nullptr || s->legacy) return bad_handle(c, "stream", handle);
  s->destroyed = true; // its queued work still runs
  return status::success;
}

status runtime::synchronise_stream(call& c, void* handle) {
  auto* const s = find_stream(handle);
  if (s == nullptr) return bad_handle(c, "stream", handle);
  host_waits_for(c.host, s->tail);
  // Waiting for the legacy stream waits for what an operation on it would wait for.
  if (s->legacy)
    for (auto const& other : streams_)
      if (other->blocking && other->device == s->device) host_waits_for(c.host, other->tail);
  return status::success;
}

status runtime::query_stream(call& c, void* handle) {
  auto* const s = find_stream(handle);
  if (s == nullptr) return bad_handle(c, "stream", handle);
  std::vector<operation_ptr> tails;
  for (auto const& other : streams_)
    if (other.get() == s || (s->legacy && other->blocking && other->device == s->device))
      if (other->tail != nullptr) tails.push_back(other->tail);
  for (auto const& tail : tails)
    if (!tail->done) {
      scheduler_->unsuccessful_query(*tail);
      return status::not_ready;
    }
  for (auto const& tail : tails) host_waits_for(c.host, tail);
  return status::success;
}

status runtime::stream_flags(call& c, void* handle, bool* blocking, int* priority) {
  auto* const s = find_stream(handle);
  if (s == nullptr) return bad_handle(c, "stream", handle);
  *blocking = s->blocking;
  *priority = s->priority;
  return status::success;
}

status runtime::wait_event(call& c, void* stream_handle, void* event_handle) {
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  auto* const e = find_event(event_handle);
  if (e == nullptr) return bad_handle(c, "event", event_handle);
  if (e->recorded == nullptr) return status::success; // never recorded: complete, orders nothing
  auto& o = enqueue(c, *s, "wait", "", {});
  order_after(*s, o.where, o.after, e->recorded);
  return status::success;
}

status runtime::host_function(call& c, void* handle, std::function<void()> function) {
  auto* const s = find_stream(handle);
  if (s == nullptr) return bad_handle(c, "stream", handle);
  auto& o = enqueue(c, *s, "host function", "", {});
  o.checks_accesses = true;
  o.run = [this, &o, function = std::move(function)] {
    accessor& by = accessor_of(o);
    by.runs_on_host = true;
    running_operation = &by;
    function();
    running_operation = nullptr;
    check.flush();
  };
  return status::success;
}

status runtime::synchronise_device(call& c) {
  for (auto const& s : streams_)
    if (s->device == c.host.device) host_waits_for(c.host, s->tail);
  return status::success;
}

status runtime::set_device(call& c, int device) {
  if (device < 0 || device >= device_count()) return status::invalid_device;
  c.host.device = device;
  return status::success;
}

// ---- events ------------------------------------------------------------------------------------------------

status runtime::create_event(call& c, void** handle, bool timing) {
  if (handle == nullptr) return status::invalid_value;
  auto e = std::make_unique<event>();
  e->device = c.host.device;
  e->timing = timing;
  *handle = make_handle(event_handle_kind, events_.size() + 1);
  event_handles_[*handle] = e.get();
  events_.push_back(std::move(e));
  return status::success;
}

status runtime::destroy_event(call& c, void* handle) {
  auto* const e = find_event(handle);
  if (e == nullptr) return bad_handle(c, "event", handle);
  e->destroyed = true; // waits that were issued keep what they wait for
  return status::success;
}

status runtime::record(call& c, void* event_handle, void* stream_handle) {
  auto* const e = find_event(event_handle);
  if (e == nullptr) return bad_handle(c, "event", event_handle);
  auto* const s = find_stream(stream_handle);
  if (s == nullptr) return bad_handle(c, "stream", stream_handle);
  if (s->device != e->device) return status::invalid_handle;
  enqueue(c, *s, "record", "", {});
  e->recorded = s->tail;
  return status::success;
}

status runtime::query_event(call& c, void* handle) {
  auto* const e = find_event(handle);
  if (e == nullptr) return bad_handle(c, "event", handle);
  if (e->recorded == nullptr) return status::success;
  if (!e->recorded->done) {
    scheduler_->unsuccessful_query(*e->recorded);
    return status::not_ready;
  }
  host_waits_for(c.host, e->recorded);
  return status::success;
}

status runtime::synchronise_event(call& c, void* handle) {
  auto* const e = find_event(handle);
  if (e == nullptr) return bad_handle(c, "event", handle);
  host_waits_for(c.host, e->recorded);
  return status::success;
}

status runtime::elapsed(call& c, float* milliseconds, void* start_handle, void* stop_handle) {
  if (milliseconds == nullptr) return status::invalid_value;
  auto* const start = find_event(start_handle);
  auto* const stop = find_event(stop_handle);
  if (start == nullptr) return bad_handle(c, "event", start_handle);
  if (stop == nullptr) return bad_handle(c, "event", stop_handle);
  if (start->recorded == nullptr || stop->recorded == nullptr || !start->timing || !stop->timing)
    return status::invalid_handle;
  if (!start->recorded->done || !stop->recorded->done) return status::not_ready;
  // Logical time: a microsecond per call. A clock would make runs differ.
  *milliseconds = 1e-3F * (static_cast<float>(stop->recorded->issue) - static_cast<float>(start->recorded->issue));
  return status::success;
}

// ---- the end -----------------------------------------------------------------------------------------------

void runtime::mark_baseline() {
  std::lock_guard const lock(mutex_);
  for (auto& s : streams_) s->baseline = true;
  for (auto& e : events_) e->baseline = true;
  for (auto& [address, a] : check.allocations.all()) a.baseline = true;
}

std::vector<finding> runtime::finish() {
  std::lock_guard const lock(mutex_);
  scheduler_->drain(-1);
  check.flush();
  for (auto& [address, a] : check.allocations.all())
    if (!a.free_called && !a.baseline)
      check.report("leak", "lifetime", "memory was not freed", check.describe_call(a.issue, "alloc"), {}, &a, 0,
                   a.size_bytes);
  auto const leaked = [&](std::string const& what) {
    operation_ref where;
    where.what = what;
    check.report("leak", "lifetime", what + " was not destroyed", where, {}, nullptr, 0, 0);
  };
  for (auto const& s : streams_)
    if (!s->destroyed && !s->baseline) leaked(chains_[index(s->chain)]);
  std::size_t events = 0;
  for (auto const& e : events_) events += !e->destroyed && !e->baseline ? 1 : 0;
  if (events != 0) leaked(std::to_string(events) + (events == 1 ? " event" : " events"));
  check.flush();
  return check.all_findings();
}

statistics runtime::current_statistics() const {
  statistics result = statistics_;
  result.accesses = access_count;
  return result;
}

void runtime::stop_program() {
  check.flush();
  std::fflush(nullptr);
  _exit(70);
}

} // namespace mockgpu
