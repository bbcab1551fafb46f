#pragma once
/// \file How large the slab of a device is: from a configuration, or from the environment.
/// Source: ICON4Py's backend configuration.
#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay {

/// Name of the environment variable.
inline constexpr char const* workspace_size_variable = "ICON4PY_BACKEND_WORKSPACE_SIZE";

/// A slab of one size for each device. A value: it never changes.
class workspace_config {
public:
  /// \throws error{invalid_input} unless `size_bytes` is positive; the message shows it.
  explicit workspace_config(std::int64_t size_bytes);
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }
  friend bool operator==(workspace_config const&, workspace_config const&) = default;

private:
  std::size_t size_bytes_;
};

/// From ICON4PY_BACKEND_WORKSPACE_SIZE: bytes in decimal; absent or empty is no workspace.
/// \throws error{invalid_input} that shows the value: no number, zero, negative, past 2^63 - 1.
[[nodiscard]] std::optional<workspace_config> workspace_config_from_environment();

/// The given configuration, or the environment's where there is none: a configuration that is given
/// hides the environment, even a wrong one.
[[nodiscard]] std::optional<workspace_config>
chosen_workspace(std::optional<workspace_config> given);

} // namespace assay
