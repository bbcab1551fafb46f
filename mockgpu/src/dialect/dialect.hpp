#pragma once
#include <string_view>

namespace mockgpu {

/// What differs between the vendors and their versions. One row per dialect.
struct dialect {
  std::string_view name;
  int runtime_version; ///< as the vendor's call reports it
  int warp_size;
};
/// \throws std::invalid_argument that lists the known names.
[[nodiscard]] dialect const& check_dialect(std::string_view name);

} // namespace mockgpu
