#include "dialect/dialect.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace mockgpu {
namespace {

constexpr std::array<dialect, 3> table{{
    {"cuda-13", 13000, 32},
    {"hip-6", 60000000, 64},
    {"hip-7", 70000000, 64},
}};

} // namespace

dialect const& check_dialect(std::string_view name) {
  std::string known;
  for (auto const& row : table) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("unknown dialect '" + std::string(name) + "' (one of " + known + ")");
}

} // namespace mockgpu
