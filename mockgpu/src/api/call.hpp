#pragma once
/// \file The scope of one runtime call: one at a time, numbered, with the thread's last error.
#include <mutex>

#include "device/engine.hpp"
#include "device/process.hpp"

namespace mockgpu {

/// What a host thread keeps between calls.
struct thread_errors {
  status last = status::success;
  std::uint32_t slot = 0; ///< of the engine's account of where `last` comes from
  bool in_host_function = false; ///< no runtime call is permitted
};
[[nodiscard]] thread_errors& this_thread_errors() noexcept;
/// The last error as a number; `take` clears it. A failed device fails for good.
/// \param reader the entry point that was called for it, from `return_address`.
int take_last_error(char const* reader, void const* return_address) noexcept;
int peek_at_last_error(char const* reader, void const* return_address) noexcept;

class call {
public:
  /// \param what the kind of thing that the call queues, for reports; a literal.
  call(char const* what, char const* entry_point, void const* return_address);
  ~call();
  call(call const&) = delete;
  call& operator=(call const&) = delete;

  /// False in a host function: the call must do nothing.
  [[nodiscard]] bool permitted() const noexcept { return engine_ != nullptr; }
  [[nodiscard]] engine& on() noexcept { return *engine_; }
  /// Keeps a failure as the thread's last error. \returns the status as a number.
  int finish(status) noexcept;

  call_site site;
  bool returns_status = true; ///< false: the program can only ask for the last error

private:
  std::unique_lock<call_mutex> lock_;
  engine* engine_ = nullptr;
};

} // namespace mockgpu
