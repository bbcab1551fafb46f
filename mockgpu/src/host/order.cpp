#include "host/order.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "device/process.hpp"
#include "host/function_threads.hpp"

namespace mockgpu {
namespace {

std::atomic<bool> kept{false};

struct carried_order {
  std::mutex guard; // taken inside the guard of calls, never the other way round
  std::unordered_map<void const*, clock_ref> known;
};

// Never destroyed: threads go on while the process ends.
carried_order& carried() {
  static carried_order& instance = *new carried_order;
  return instance;
}

/// What the calling thread or host function knows, its own place included.
clock_ref own_order() {
  if (in_host_function()) {
    checker* const active = active_checker;
    return active == nullptr ? clock_ref() : clock_after(active->own_place());
  }
  std::lock_guard const lock(call_guard());
  engine const* const on = existing_engine();
  return on == nullptr ? clock_ref() : on->host_order();
}

void learn(clock_ref const& order) {
  if (!order) return;
  if (in_host_function()) {
    if (checker* const active = active_checker) active->learn(order);
    return;
  }
  std::lock_guard const lock(call_guard());
  if (engine* const on = existing_engine()) on->learn(order);
}

} // namespace

void start_host_order() noexcept { kept.store(true, std::memory_order_relaxed); }
bool keeps_host_order() noexcept { return kept.load(std::memory_order_relaxed); }

void reset_host_order() {
  std::lock_guard const lock(carried().guard);
  carried().known.clear();
  kept.store(false, std::memory_order_relaxed);
}

void host_releases(void const* object) noexcept {
  if (!keeps_host_order()) return;
  clock_ref const own = own_order();
  std::lock_guard const lock(carried().guard);
  clock_ref& known = carried().known[object];
  known = join(known, own);
}

void host_acquires(void const* object) noexcept {
  if (!keeps_host_order()) return;
  clock_ref order;
  {
    std::lock_guard const lock(carried().guard);
    auto const found = carried().known.find(object);
    if (found == carried().known.end()) return;
    order = found->second;
  }
  learn(order);
}

void host_waits() noexcept {
  if (in_host_function()) {
    host_function_waits();
    return;
  }
  std::lock_guard const lock(call_guard());
  if (engine* const on = existing_engine()) on->make_progress();
}

std::function<void()> order_for_new_thread() {
  if (!in_host_function()) return {};
  return [order = own_order()] { learn(order); };
}

void host_function_joined() noexcept {
  if (!in_host_function() || active_checker == nullptr) return;
  clock_ref order;
  { // it waited, so that nobody who holds this guard waits for it
    std::lock_guard const lock(call_guard());
    if (engine const* const on = existing_engine()) order = on->host_order();
  }
  learn(order);
}

} // namespace mockgpu
