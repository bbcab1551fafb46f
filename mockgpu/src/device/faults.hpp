#pragma once
/// \file Calls that fail because the user asked for it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "device/status.hpp"

namespace mockgpu {

/// What to fail, as MOCKGPU_FAULT says it: "ERROR@WHICH".
///
/// ERROR is `out-of-memory`, `invalid-value`, `launch-failure`, `sticky` (an illegal address, which
/// every later call returns too), or `any`: out of memory where the call allocates or launches,
/// else an invalid value. After `launch-failure` every later call fails too, and a launch itself
/// succeeds, as on a device.
/// WHICH is a number (the call with that number, from 1), `NAME` (every call of that entry point),
/// `NAME:N` (its Nth call), or `seed:S` (each call with probability 1/16, by seed S).
class fault_plan {
public:
  fault_plan() = default; ///< nothing fails
  /// \throws std::invalid_argument quoting the text.
  explicit fault_plan(std::string const& text);

  /// For the next call, in order: the status that it returns instead of doing anything, if any.
  /// \param what the kind of thing that the call queues: "alloc", "kernel", ...
  [[nodiscard]] std::optional<status> next(std::string_view what, std::string_view entry_point);
  /// The status that every call returns from now on, or success.
  [[nodiscard]] status failed_for_good() const noexcept { return sticky_; }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::uint64_t injected() const noexcept { return injected_; }

private:
  enum class which : std::uint8_t { none, number, name, name_and_number, seed };
  [[nodiscard]] bool is_due(std::string_view entry_point);

  which which_ = which::none;
  std::string name_;
  std::uint64_t number_ = 0; ///< of the call, or the state of the seed
  status error_ = status::success;
  bool any_ = false;
  status sticky_ = status::success;
  std::uint64_t calls_ = 0, calls_of_name_ = 0, injected_ = 0;
};

} // namespace mockgpu
