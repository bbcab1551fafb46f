#pragma once
/// \file The guard of all that the accesses of several host threads and the runtime's calls share:
/// the checker, the table of memory, the log of issues.
#include <mutex>

namespace mockgpu {

/// A recursive mutex that its owner can let go of, however often it has been locked.
class checker_mutex {
public:
  void lock();
  [[nodiscard]] bool try_lock();
  void unlock() noexcept;
  /// Unlocks as often as the calling thread has locked. \returns how often that was.
  [[nodiscard]] unsigned let_go() noexcept;

private:
  std::recursive_mutex mutex_;
};

/// A call holds it from its begin to its end, unless code of the program runs within the call.
/// Never destroyed.
[[nodiscard]] checker_mutex& checker_guard() noexcept;
/// For a child of fork, in which the calling thread is another than the owner.
void renew_checker_guard() noexcept;

/// While it lives, code of the program runs in the middle of a call: accesses of other host threads
/// are checked, and nobody waits for this one.
class program_runs {
public:
  program_runs() noexcept : held_(checker_guard().let_go()) {}
  ~program_runs() {
    for (unsigned i = 0; i < held_; ++i) checker_guard().lock();
  }
  program_runs(program_runs const&) = delete;
  program_runs& operator=(program_runs const&) = delete;

private:
  unsigned held_;
};

} // namespace mockgpu
