#include "dialect/dialect.hpp"

#include <stdexcept>
#include <string>

namespace mockgpu {
namespace {

constexpr auto always = standing::always;
constexpr auto may = standing::may;
constexpr auto never = standing::never;

constexpr rule_row rows[] = {
#define RULE(section, identifier, name, cuda_13, hip_6, hip_7, text)                               \
  {#section, name, text, {cuda_13, hip_6, hip_7}},
#include "dialect/rules.def"
#undef RULE
};

dialect const& at(std::size_t column) {
  static dialect const all[] = {
      {"cuda-13", 0, 13000, cuda_device(), 0x7, 0x7},
      {"hip-6", 1, 60000000, hip_device(), 0xE0000007u, 0xC0000007u},
      {"hip-7", 2, 70000000, hip_device(), 0xE0000007u, 0xC0000007u},
  };
  return all[column];
}

} // namespace

std::span<rule_row const> all_rules() noexcept { return rows; }

dialect const& find_dialect(std::string_view name) {
  for (std::size_t column = 0; column < 3; ++column)
    if (at(column).name == name) return at(column);
  throw std::invalid_argument("unknown dialect '" + std::string(name) +
                              "': expected cuda-13, hip-6 or hip-7");
}

} // namespace mockgpu
