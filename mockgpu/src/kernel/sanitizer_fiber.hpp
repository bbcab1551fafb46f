#pragma once
/// \file What ThreadSanitizer has to be told about stacks that take turns. Nothing in other builds.
#include <utility>

#include "memory/under_thread_sanitizer.hpp"

#if MOCKGPU_UNDER_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace mockgpu {

/// The stack of calls that ThreadSanitizer keeps for one of our stacks. It lives as long as that
/// one.
class sanitizer_fiber {
public:
  sanitizer_fiber() = default;
  sanitizer_fiber(sanitizer_fiber&& other) noexcept
      : calls_(std::exchange(other.calls_, nullptr)) {}
  sanitizer_fiber& operator=(sanitizer_fiber&& other) noexcept {
    std::swap(calls_, other.calls_);
    return *this;
  }
#if MOCKGPU_UNDER_THREAD_SANITIZER
  ~sanitizer_fiber() {
    if (calls_ != nullptr) __tsan_destroy_fiber(calls_);
  }
  /// Of a stack that nothing runs on yet.
  [[nodiscard]] static sanitizer_fiber make() { return sanitizer_fiber(__tsan_create_fiber(0)); }
  /// To be called last before the processor goes over to this one's stack.
  void enter() const noexcept { __tsan_switch_to_fiber(calls_, 0); }
  /// \returns what stands for the calling stack, whoever made that.
  [[nodiscard]] static void* current() noexcept { return __tsan_get_current_fiber(); }
  static void enter(void* calls) noexcept { __tsan_switch_to_fiber(calls, 0); }
#else
  [[nodiscard]] static sanitizer_fiber make() { return {}; }
  void enter() const noexcept {}
  [[nodiscard]] static void* current() noexcept { return nullptr; }
  static void enter(void*) noexcept {}
#endif

private:
  explicit sanitizer_fiber(void* calls) noexcept : calls_(calls) {}

  void* calls_ = nullptr;
};

} // namespace mockgpu
