#pragma once
/// \file The one table of what the vendors spell differently in generated text.
#include <string_view>

#include "assay/settings.hpp"

namespace assay::emission {

/// A row per GPU target.
struct dialect {
  std::string_view prefix;         ///< of every runtime name: "cuda" in cudaMalloc
  std::string_view host_include;   ///< runtime API alone, for the host's compiler
  std::string_view device_include; ///< with kernels
  std::string_view device_folder;  ///< of the device file, with a slash at the end
  std::string_view device_suffix;  ///< of the device file's name
  std::string_view malloc_pinned;  ///< (void**, size)
  std::string_view free_pinned;
};

/// Null for the cpu target.
[[nodiscard]] dialect const* dialect_of(target) noexcept;

} // namespace assay::emission
