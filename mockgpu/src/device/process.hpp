#pragma once
/// \file The one engine of the process, made at the first runtime call.
#include <functional>
#include <mutex>

#include "device/engine.hpp"
#include "order/checker_guard.hpp"

namespace mockgpu {

/// Serialises runtime calls of several host threads, and keeps other threads' accesses out of what
/// a call changes.
class call_mutex {
public:
  void lock() {
    calls_.lock();
    checker_guard().lock();
  }
  [[nodiscard]] bool try_lock() {
    if (!calls_.try_lock()) return false;
    checker_guard().lock();
    return true;
  }
  void unlock() noexcept {
    checker_guard().unlock();
    calls_.unlock();
  }

private:
  std::recursive_mutex calls_;
};
[[nodiscard]] call_mutex& call_guard() noexcept;
/// \throws std::bad_alloc if the address space is not to be had.
[[nodiscard]] engine& the_engine();
/// The engine, or null before the first call.
[[nodiscard]] engine* existing_engine() noexcept;
/// Whether there has been one; needs no guard.
[[nodiscard]] bool engine_exists() noexcept;

/// Engines made from now on are recorded by `by`, for an exploration; null: no longer.
void record_runs(run_recorder* by);

} // namespace mockgpu
