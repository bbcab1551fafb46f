#pragma once
/// \file Keeps the programs that share a slab apart, or says that they are not.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/gpu_runtime.hpp"

namespace assay {

enum class guard_kind : std::uint8_t {
  none,             ///< the caller keeps the single-stream rule
  assert_unordered, ///< a use that nothing orders with the one before is an error
  order,            ///< the user waits for the one before, where it runs on another stream
};
/// "none", "assert", "order".
[[nodiscard]] std::string_view name(guard_kind) noexcept;
/// \throws error{invalid_input} listing the names.
[[nodiscard]] guard_kind parse_guard_kind(std::string_view);

/// One for each slab. Every program that uses the slab enters before its work is queued, and leaves
/// when it is. Not thread-safe: neither is the slab. Uses on one stream are ordered by the stream
/// and cost nothing.
class workspace_guard {
public:
  /// `gpu` must outlive the guard.
  workspace_guard(guard_kind, gpu_runtime& gpu);
  workspace_guard(workspace_guard const&) = delete;
  workspace_guard& operator=(workspace_guard const&) = delete;
  ~workspace_guard();

  /// `stream` carries the work of `program`; without one, its work is done when it leaves.
  /// \throws error{invalid_input} that names both programs (assert), also for a use inside another
  /// one; error{environment} (order).
  void enter(std::string const& program, std::optional<stream_handle> stream);
  /// After the call, whether it failed or not.
  void leave();

  /// The host has waited for everything on this stream: what was queued there is done.
  void host_waited(stream_handle);

private:
  struct use {
    std::string program;
    stream_handle stream;
  };
  guard_kind kind_;
  gpu_runtime& gpu_;
  std::optional<use> pending_; ///< the last use, unless it is known to be done
  std::string inside_;         ///< the program between enter and leave
  bool is_inside_ = false;
  std::optional<stream_handle> entered_on_;
  std::optional<event_handle> done_; ///< recorded behind the last use (order)
};

} // namespace assay
