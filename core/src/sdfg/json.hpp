#pragma once
/// \file A JSON document as a plain tree: members keep the file's order, nesting is limited.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::sdfg {

struct json_value;
using json_list = std::vector<json_value>;
struct json_member;
using json_object = std::vector<json_member>;

/// One value. Integers are int64 where they fit, else uint64; std::monostate is null.
struct json_value {
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, json_list,
               json_object>
      content;

  template <typename Kind> [[nodiscard]] Kind const* get_if() const noexcept {
    return std::get_if<Kind>(&content);
  }
  [[nodiscard]] bool is_null() const noexcept {
    return std::holds_alternative<std::monostate>(content);
  }
  /// Of an object; nullptr if it has no such member or is no object.
  [[nodiscard]] json_value const* find(std::string_view key) const noexcept;
};

/// No std::pair: clang takes none whose type is incomplete as an element.
struct json_member {
  std::string first;
  json_value second;

  json_member() = default;
  json_member(std::string name, json_value value)
      : first(std::move(name)), second(std::move(value)) {}
};

/// \throws error{invalid_input} with line and column, telling text that is cut off from text that
/// is no JSON; also for nesting beyond 2000 levels.
[[nodiscard]] json_value parse_json(std::string_view);

} // namespace assay::sdfg
