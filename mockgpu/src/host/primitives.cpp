// The calls by which host threads order and wait for each other, in front of the C library's: each
// does what it says, and tells the mock. Calls from the mock itself are passed on.
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/process.hpp"
#include "host/function_threads.hpp"
#include "host/order.hpp"
#include "host/progress.hpp"
#include "memory/under_thread_sanitizer.hpp"

// The ends of this library's code, by the linker.
extern "C" {
extern char const __ehdr_start[] __attribute__((visibility("hidden")));
extern char const etext[] __attribute__((visibility("hidden")));
}

namespace mockgpu {
namespace {

bool is_own(void const* caller) noexcept { return caller >= __ehdr_start && caller < etext; }

/// The next definition of a function, which is the C library's or a sanitizer's.
template <class Function> Function* next(char const* name, char const* version) noexcept {
  void* found = nullptr;
#if MOCKGPU_UNDER_THREAD_SANITIZER // its definitions have no version
  found = dlsym(RTLD_DEFAULT, ("__interceptor_" + std::string(name)).c_str());
#endif
  if (found == nullptr && version != nullptr) found = dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(found);
}

bool watched(void const* caller) noexcept { return !is_own(caller) && engine_exists(); }

struct new_thread {
  void* (*start)(void*);
  void* argument;
  std::function<void()> order;
};
void* start_ordered(void* given) {
  new_thread const one = *std::unique_ptr<new_thread>(static_cast<new_thread*>(given));
  if (one.order) one.order();
  // What it has queued must not wait for others' calls; those may wait for it.
  struct at_end {
    ~at_end() {
      if (engine_exists()) host_waits();
    }
  } const progress;
  return one.start(one.argument);
}

} // namespace
} // namespace mockgpu

#define WATCHED (mockgpu::watched(__builtin_return_address(0)))
#define NEXT_OF(version, name)                                                                     \
  static auto* const next_##name = mockgpu::next<decltype(name)>(#name, version)
#define NEXT(name) NEXT_OF(nullptr, name)

extern "C" {

// ---- locks

/// A lock that may have to be waited for: tried first, so that only real waits count.
#define LOCK(name, try_name, type)                                                                 \
  int name(type* lock) noexcept {                                                                  \
    NEXT(name);                                                                                    \
    if (!WATCHED) return next_##name(lock);                                                        \
    NEXT(try_name);                                                                                \
    int result = next_##try_name(lock);                                                            \
    if (result == EBUSY || result == EAGAIN) {                                                     \
      /* Who holds it may be a host function; work that runs for it would not let go of it. */     \
      if (mockgpu::in_host_function()) mockgpu::host_function_waits();                             \
      result = next_##name(lock);                                                                  \
    }                                                                                              \
    if (result == 0) mockgpu::host_acquires(lock);                                                 \
    return result;                                                                                 \
  }
#define TRY_LOCK(name, type)                                                                       \
  int name(type* lock) noexcept {                                                                  \
    NEXT(name);                                                                                    \
    int const result = next_##name(lock);                                                          \
    if (result == 0 && WATCHED) mockgpu::host_acquires(lock);                                      \
    return result;                                                                                 \
  }
#define UNLOCK(name, type)                                                                         \
  int name(type* lock) noexcept {                                                                  \
    NEXT(name);                                                                                    \
    if (WATCHED) mockgpu::host_releases(lock);                                                     \
    return next_##name(lock);                                                                      \
  }

LOCK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
TRY_LOCK(pthread_mutex_trylock, pthread_mutex_t)
UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
TRY_LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TRY_LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

// ---- conditions

#define CONDITION_WAIT(name, parameters, arguments)                                                \
  int name parameters {                                                                            \
    NEXT_OF("GLIBC_2.3.2", name);                                                                  \
    if (!WATCHED) return next_##name arguments;                                                    \
    mockgpu::host_releases(mutex);                                                                 \
    mockgpu::blocked_host const blocked;                                                           \
    int const result = next_##name arguments;                                                      \
    mockgpu::host_acquires(condition);                                                             \
    mockgpu::host_acquires(mutex);                                                                 \
    return result;                                                                                 \
  }
CONDITION_WAIT(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex),
               (condition, mutex))
CONDITION_WAIT(pthread_cond_timedwait,
               (pthread_cond_t * condition, pthread_mutex_t* mutex, timespec const* until),
               (condition, mutex, until))
CONDITION_WAIT(pthread_cond_clockwait,
               (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock,
                timespec const* until),
               (condition, mutex, clock, until))

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  NEXT_OF("GLIBC_2.3.2", pthread_cond_signal);
  if (WATCHED) mockgpu::host_releases(condition);
  return next_pthread_cond_signal(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  NEXT_OF("GLIBC_2.3.2", pthread_cond_broadcast);
  if (WATCHED) mockgpu::host_releases(condition);
  return next_pthread_cond_broadcast(condition);
}

// ---- semaphores and barriers

int sem_post(sem_t* semaphore) noexcept {
  NEXT(sem_post);
  if (WATCHED) mockgpu::host_releases(semaphore);
  return next_sem_post(semaphore);
}
int sem_trywait(sem_t* semaphore) noexcept {
  NEXT(sem_trywait);
  int const result = next_sem_trywait(semaphore);
  if (result == 0 && WATCHED) mockgpu::host_acquires(semaphore);
  return result;
}
int sem_wait(sem_t* semaphore) {
  NEXT(sem_wait);
  if (!WATCHED) return next_sem_wait(semaphore);
  mockgpu::blocked_host const blocked;
  int const result = next_sem_wait(semaphore);
  if (result == 0) mockgpu::host_acquires(semaphore);
  return result;
}
int sem_timedwait(sem_t* semaphore, timespec const* until) {
  NEXT(sem_timedwait);
  if (!WATCHED) return next_sem_timedwait(semaphore, until);
  mockgpu::blocked_host const blocked;
  int const result = next_sem_timedwait(semaphore, until);
  if (result == 0) mockgpu::host_acquires(semaphore);
  return result;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  NEXT(pthread_barrier_wait);
  if (!WATCHED) return next_pthread_barrier_wait(barrier);
  mockgpu::host_releases(barrier);
  mockgpu::blocked_host const blocked;
  int const result = next_pthread_barrier_wait(barrier);
  mockgpu::host_acquires(barrier);
  return result;
}

// ---- threads

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  NEXT(pthread_create);
  if (!mockgpu::is_own(__builtin_return_address(0))) {
    auto one = std::make_unique<mockgpu::new_thread>(
        mockgpu::new_thread{start, argument, mockgpu::order_for_new_thread()});
    int const result = next_pthread_create(thread, attributes, mockgpu::start_ordered, one.get());
    if (result == 0) static_cast<void>(one.release());
    return result;
  }
  return next_pthread_create(thread, attributes, start, argument);
}
int pthread_join(pthread_t thread, void** value) {
  NEXT(pthread_join);
  if (!WATCHED) return next_pthread_join(thread, value);
  mockgpu::blocked_host const blocked;
  int const result = next_pthread_join(thread, value);
  if (result == 0) mockgpu::host_function_joined();
  return result;
}

// ---- passing the time

#define PASS_TIME(type, name, parameters, arguments)                                               \
  type name parameters {                                                                           \
    NEXT(name);                                                                                    \
    if (WATCHED && !mockgpu::in_host_function()) mockgpu::host_waits();                            \
    return next_##name arguments;                                                                  \
  }
PASS_TIME(int, nanosleep, (timespec const* wanted, timespec* left), (wanted, left))
PASS_TIME(int, clock_nanosleep,
          (clockid_t clock, int flags, timespec const* wanted, timespec* left),
          (clock, flags, wanted, left))
PASS_TIME(int, usleep, (useconds_t wanted), (wanted))
PASS_TIME(unsigned, sleep, (unsigned wanted), (wanted))

int sched_yield() noexcept {
  NEXT(sched_yield);
  if (WATCHED) mockgpu::host_waits();
  return next_sched_yield();
}

/// Promises, latches and waits on atomic objects sleep by this call, inside of the C++ library.
/// What orders them are the atomic operations around it.
long syscall(long number, ...) noexcept {
  NEXT(syscall);
  va_list list;
  va_start(list, number);
  long given[6];
  for (long& one : given) one = va_arg(list, long); // any that were not given are not looked at
  va_end(list);
  constexpr long command_mask = FUTEX_CMD_MASK;
  bool const waits = number == SYS_futex && ((given[1] & command_mask) == FUTEX_WAIT ||
                                             (given[1] & command_mask) == FUTEX_WAIT_BITSET);
  std::optional<mockgpu::blocked_host> blocked;
  if (waits && WATCHED) blocked.emplace();
  return next_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

} // extern "C"
