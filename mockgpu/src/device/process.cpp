#include "device/process.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "api/call.hpp"
#include "device/order_server.hpp"
#include "host/order.hpp"
#include "mockgpu/embed.h"
#include "order/contexts.hpp"
#include "report/crash.hpp"
#include "report/environment.hpp"
#include "report/unhooked_code.hpp"

namespace mockgpu {
namespace {

struct process_state {
  call_mutex guard;
  std::unique_ptr<engine> instance;
  std::optional<options> configured;
  std::function<void(finding const&)> sink;
  std::function<void(covered_orders const&)> orders_sink = report_orders;
  run_recorder* recorder = nullptr;
  std::unique_ptr<order_child> order; ///< in a process that runs one of all orders
  bool ended = false;                 ///< the report of the process is closed
};

// Never destroyed: libraries call the runtime from their own destructors.
process_state& state() {
  static process_state& instance = *new process_state;
  return instance;
}

void give(finding const& one) {
  if (state().order && !state().order->is_new(one)) return;
  if (state().sink)
    state().sink(one);
  else
    report_by_default(one);
}

void flush_engine() {
  if (state().instance) state().instance->judge().flush();
}

void note_error_left() {
  thread_errors& errors = this_thread_errors();
  if (errors.last != status::success)
    state().instance->note_error_left(state().instance->pending_error_of(errors.slot), errors.last);
}

void end_report(bool with_leaks) {
  std::lock_guard const lock(state().guard);
  if (!state().instance || state().configured || std::exchange(state().ended, true)) return;
  note_error_left();
  if (!with_leaks) state().instance->mark_baseline();
  state().instance->finish();
  report_end(state().instance->counts());
  if (state().order) state().order->finished(state().instance->counts());
}

void finish_at_exit() { end_report(/*with_leaks=*/true); }

void check(options const& wanted) {
  check_fault(wanted.fault);
  static_cast<void>(find_dialect(wanted.dialect));
  if (wanted.device_count < 1 || wanted.device_count > 8)
    throw std::invalid_argument("device_count " + std::to_string(wanted.device_count) +
                                ": expected 1 to 8");
  if (wanted.schedule == schedule_kind::pct && wanted.depth == 0)
    throw std::invalid_argument("depth 0: expected at least 1");
  if (wanted.schedule == schedule_kind::replay) static_cast<void>(parse_token(wanted.token));
}

options environment_or_end() {
  try {
    options const result = options_from_environment();
    check(result);
    return result;
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "mockgpu: error: %s\n", problem.what());
    std::exit(2);
  }
}

} // namespace

call_mutex& call_guard() noexcept { return state().guard; }
bool engine_exists() noexcept { return active_checker != nullptr; }
engine* existing_engine() noexcept { return state().instance.get(); }

engine& the_engine() {
  process_state& all = state();
  if (!all.instance) {
    bool const by_environment = !all.configured;
    options const chosen = by_environment ? environment_or_end() : *all.configured;
    if (chosen.schedule == schedule_kind::exhaustive && all.recorder == nullptr) {
      all.order = serve_orders(chosen, all.orders_sink);
      // The call that brought us here holds the guards, which know their owner by the number of a
      // thread: in the child that number is another.
      new (&all.guard) call_mutex;
      renew_checker_guard();
      all.guard.lock();
      all.recorder = &all.order->recorder();
    }
    all.instance = std::make_unique<engine>(chosen);
    all.instance->judge().set_sink(give);
    if (all.recorder != nullptr) all.instance->explore(*all.recorder);
    report_before_crash(flush_engine);
    // A program that knows nothing of the mock ends without `finish`.
    if (by_environment) {
      report_begin();
      std::atexit(finish_at_exit);
    }
  }
  return *all.instance;
}

void check_fault(std::string const& text) {
  if (!text.empty()) static_cast<void>(fault_plan(text));
}

void configure(options const& wanted) {
  exempt_from_hooks(__builtin_return_address(0));
  std::lock_guard const lock(state().guard);
  check(wanted);
  if (state().instance) throw std::logic_error("configure after the first runtime call");
  state().configured = wanted;
}

void record_runs(run_recorder* by) {
  std::lock_guard const lock(state().guard);
  state().recorder = by;
}

void set_sink(std::function<void(finding const&)> sink) {
  exempt_from_hooks(__builtin_return_address(0));
  std::lock_guard const lock(state().guard);
  state().sink = std::move(sink);
}

void set_orders_sink(std::function<void(covered_orders const&)> sink) {
  std::lock_guard const lock(state().guard);
  state().orders_sink = std::move(sink);
}

statistics current_statistics() {
  std::lock_guard const lock(state().guard);
  return state().instance ? state().instance->counts() : statistics{};
}

std::string current_token() {
  std::lock_guard const lock(state().guard);
  return state().instance ? state().instance->decisions().token() : std::string();
}

std::vector<finding> finish() {
  std::lock_guard const lock(state().guard);
  if (!state().instance) return {};
  state().instance->begin_call();
  note_error_left();
  std::vector<finding> all = state().instance->finish();
  if (state().order) state().order->finished(state().instance->counts());
  return all;
}

void mark_baseline() {
  std::lock_guard const lock(state().guard);
  if (state().instance) state().instance->mark_baseline();
}

void reset(options const& wanted) {
  std::lock_guard const lock(state().guard);
  check(wanted);
  state().instance.reset();
  reset_host_order();
  state().configured = wanted;
  reset_contexts();
}

} // namespace mockgpu

extern "C" void mockgpu_end_report(int report_leaks) { mockgpu::end_report(report_leaks != 0); }
