#pragma once
/// \file What error codes mean. CUDA and HIP number alike what they have in common.
#include <span>

namespace mockgpu {

struct error_name {
  int code;
  char const* name;
};

/// The name of a code in the vendor's list, or `unknown`.
[[nodiscard]] char const* find_name(std::span<error_name const>, int code, char const* unknown);
/// A few words on a code of either vendor.
[[nodiscard]] char const* error_text(int code) noexcept;

} // namespace mockgpu
