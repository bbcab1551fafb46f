#include "host/progress.hpp"

#include <atomic>
#include <ctime>
#include <mutex>

#include <pthread.h>
#include <unistd.h>

#include "device/process.hpp"
#include "host/function_threads.hpp"
#include "host/order.hpp"

namespace mockgpu {
namespace {

constexpr long tick_ms = 50;
constexpr unsigned patience_ticks = 60;

std::atomic<unsigned> blocked{0};
std::atomic<unsigned long> calls{0};
std::atomic<pid_t> watched_process{0}; // a child of fork has no such thread

void* watch(void*) {
  unsigned long seen = 0;
  unsigned quiet_ticks = 0;
  for (;;) {
    timespec const tick{0, tick_ms * 1000000};
    nanosleep(&tick, nullptr);
    unsigned long const now = calls.load(std::memory_order_relaxed);
    quiet_ticks = now == seen ? quiet_ticks + 1 : 0;
    seen = now;
    if (blocked.load(std::memory_order_relaxed) == 0 && quiet_ticks < patience_ticks) continue;
    std::unique_lock const lock(call_guard(), std::try_to_lock);
    if (!lock.owns_lock()) { // a call is at work
      quiet_ticks = 0;
      continue;
    }
    if (engine* const on = existing_engine())
      if (on->decisions().schedule() != schedule_kind::exhaustive) on->make_progress();
  }
}

void start_watch() noexcept {
  pid_t expected = watched_process.load(std::memory_order_relaxed);
  pid_t const own = getpid();
  if (expected == own || !watched_process.compare_exchange_strong(expected, own)) return;
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, watch, nullptr) == 0) pthread_detach(thread);
}

} // namespace

blocked_host::blocked_host() noexcept {
  if (!in_host_function()) {
    ++blocked;
    start_watch();
  }
  host_waits();
}

blocked_host::~blocked_host() {
  if (!in_host_function()) --blocked;
}

bool host_is_blocked() noexcept { return blocked.load(std::memory_order_relaxed) != 0; }

void note_host_activity(bool in_background) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (in_background && watched_process.load(std::memory_order_relaxed) == 0) start_watch();
}

} // namespace mockgpu
