#include "host/function_threads.hpp"

#include <ctime>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace mockgpu {
namespace {

constexpr unsigned patience_ms = 1000;

// Not the standard library's mutex and condition: those wait in a library that the mock watches
// (host/primitives.cpp), while calls from here are passed on.
struct worker {
  pthread_cond_t changed;
  std::function<void()> body, later;
  bool busy = false; ///< has a body that has not ended
  bool left = false; ///< nobody waits for its end
};

struct pool {
  pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t late_end;
  std::uint64_t late_ends = 0;
  std::vector<worker*> idle;
  pid_t process = 0; ///< a child of fork has none of the threads
};

void init_condition(pthread_cond_t& condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

// Never destroyed: its threads outlive `main`.
pool& all() {
  static pool& instance = *[] {
    auto* const made = new pool;
    init_condition(made->late_end);
    return made;
  }();
  return instance;
}

class locked {
public:
  locked() noexcept { pthread_mutex_lock(&all().guard); }
  ~locked() { pthread_mutex_unlock(&all().guard); }
  locked(locked const&) = delete;
  locked& operator=(locked const&) = delete;
};

/// \returns false when the time was over.
bool wait(pthread_cond_t& condition, timespec const* until) noexcept {
  if (until == nullptr) return pthread_cond_wait(&condition, &all().guard) == 0;
  return pthread_cond_timedwait(&condition, &all().guard, until) == 0;
}

timespec in_ms(unsigned milliseconds) noexcept {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += milliseconds / 1000;
  at.tv_nsec += long(milliseconds % 1000) * 1000000;
  if (at.tv_nsec >= 1000000000) at.tv_nsec -= 1000000000, ++at.tv_sec;
  return at;
}

thread_local worker* self = nullptr;

void* work_for_ever(void* given) {
  self = static_cast<worker*>(given);
  pthread_mutex_lock(&all().guard);
  for (;;) {
    while (!self->busy) wait(self->changed, nullptr);
    pthread_mutex_unlock(&all().guard);
    self->body();
    self->body = nullptr;
    pthread_mutex_lock(&all().guard);
    bool const late = self->left;
    if (late) {
      std::function<void()> const later = std::move(self->later);
      pthread_mutex_unlock(&all().guard);
      later();
      pthread_mutex_lock(&all().guard);
      ++all().late_ends;
      pthread_cond_broadcast(&all().late_end);
    }
    self->busy = false;
    pthread_cond_signal(&self->changed);
    if (late) all().idle.push_back(self);
  }
}

worker* free_worker() {
  pool& threads = all();
  if (threads.process != getpid()) {
    threads.process = getpid();
    threads.idle.clear();
  }
  if (!threads.idle.empty()) {
    worker* const found = threads.idle.back();
    threads.idle.pop_back();
    return found;
  }
  auto* const made = new worker;
  init_condition(made->changed);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, work_for_ever, made) != 0) {
    delete made;
    return nullptr;
  }
  pthread_detach(thread);
  return made;
}

} // namespace

bool run_beside(std::function<void()> body, std::function<void()> later) {
  locked const lock;
  worker* const one = free_worker();
  if (one == nullptr) { // no thread to be had
    body();
    return true;
  }
  one->body = std::move(body);
  one->later = std::move(later);
  one->left = false;
  one->busy = true;
  pthread_cond_signal(&one->changed);
  timespec const until = in_ms(patience_ms);
  while (one->busy && !one->left)
    if (!wait(one->changed, &until) && one->busy) one->left = true;
  if (one->left) return false;
  one->later = nullptr;
  all().idle.push_back(one);
  return true;
}

bool in_host_function() noexcept { return self != nullptr; }

void host_function_waits() noexcept {
  if (self == nullptr) return;
  locked const lock;
  if (self->left) return;
  self->left = true;
  pthread_cond_signal(&self->changed);
}

std::uint64_t late_ends() noexcept {
  locked const lock;
  return all().late_ends;
}

bool wait_for_late_end(std::uint64_t seen, unsigned at_most_ms) noexcept {
  locked const lock;
  timespec const until = in_ms(at_most_ms);
  while (all().late_ends == seen)
    if (!wait(all().late_end, at_most_ms == 0 ? nullptr : &until)) return all().late_ends != seen;
  return true;
}

} // namespace mockgpu
