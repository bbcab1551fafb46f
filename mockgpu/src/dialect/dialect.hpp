#pragma once
/// \file Where the vendors differ: one table of rules, a column for each dialect.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/device_model.hpp"

namespace mockgpu {

/// How far a rule can be relied on.
enum class standing : std::uint8_t {
  never,
  may,    ///< the vendor reserves it: nothing may rely on it, in either direction
  always, ///< guaranteed
};

enum class rule_id : std::uint8_t {
#define RULE(section, identifier, name, cuda_13, hip_6, hip_7, text) identifier,
#include "dialect/rules.def"
#undef RULE
  count
};

/// A row of the table.
struct rule_row {
  std::string_view section, name, text;
  standing in[3]; ///< cuda-13, hip-6, hip-7
};
[[nodiscard]] std::span<rule_row const> all_rules() noexcept;

struct dialect {
  std::string_view name;
  std::size_t column;  ///< of the table
  int runtime_version; ///< in the vendor's numbering
  device_model const& device;
  unsigned pinned_flags; ///< those that an allocation of pinned memory may have
  unsigned event_flags;  ///< those that an event may have

  /// The program may rely on the rule: it adds the order that it speaks of.
  [[nodiscard]] bool guarantees(rule_id id) const noexcept {
    return all_rules()[std::size_t(id)].in[column] == standing::always;
  }
};

/// \throws std::invalid_argument naming the dialect, if there is none of that name.
[[nodiscard]] dialect const& find_dialect(std::string_view name);

} // namespace mockgpu
