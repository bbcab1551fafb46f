#include "order/checker_guard.hpp"

#include <new>

namespace mockgpu {
namespace {

// Of the one instance there is.
thread_local unsigned held = 0;

} // namespace

void checker_mutex::lock() {
  mutex_.lock();
  ++held;
}

bool checker_mutex::try_lock() {
  if (!mutex_.try_lock()) return false;
  ++held;
  return true;
}

void checker_mutex::unlock() noexcept {
  --held;
  mutex_.unlock();
}

unsigned checker_mutex::let_go() noexcept {
  unsigned const before = held;
  while (held != 0) unlock();
  return before;
}

checker_mutex& checker_guard() noexcept {
  static checker_mutex& instance = *new checker_mutex;
  return instance;
}

void renew_checker_guard() noexcept {
  new (&checker_guard()) checker_mutex;
  held = 0;
}

} // namespace mockgpu
