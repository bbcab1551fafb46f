#pragma once
/// \file A value of a JSON file together with its place.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "sdfg/json.hpp"
#include "sdfg/parse.hpp"

namespace assay::sdfg {

/// A value and how it was reached; the pointer text is only made where it is kept or reported. A
/// cursor lives no longer than its parent.
class cursor {
public:
  explicit cursor(json_value const& root) : value_(&root) {}

  [[nodiscard]] std::string place() const {
    if (parent_ == nullptr) return {};
    auto text = parent_->place();
    text += '/';
    if (key_.data() == nullptr) return text += std::to_string(index_);
    for (char const c : key_) // RFC 6901
      if (c == '~')
        text += "~0";
      else if (c == '/')
        text += "~1";
      else
        text += c;
    return text;
  }

  [[noreturn]] void fail(std::string const& message, errc code = errc::invalid_input) const {
    throw error(code, message, place());
  }

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_object() const { return get_if<json_object>() != nullptr; }
  [[nodiscard]] bool is_array() const { return get_if<json_list>() != nullptr; }
  [[nodiscard]] bool is_string() const { return get_if<std::string>() != nullptr; }
  template <typename Kind> [[nodiscard]] Kind const* get_if() const {
    return value_->get_if<Kind>();
  }
  /// Of a list; anything else has none.
  [[nodiscard]] std::size_t size() const { return is_array() ? get_if<json_list>()->size() : 0; }

  /// The name of this member, for messages.
  [[nodiscard]] std::string key() const {
    if (key_.data() != nullptr) return printable(key_);
    return parent_ == nullptr ? "the file" : parent_->key();
  }

  /// A member; absent and null alike are nothing, since writers omit defaults and old ones write
  /// null.
  [[nodiscard]] std::optional<cursor> find(std::string_view key) const {
    auto const* found = value_->find(key);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return cursor(*found, this, key);
  }

  [[nodiscard]] cursor at(std::string_view key) const {
    auto found = find(key);
    if (!found) fail(fmt::format("{} lacks member '{}'", described(), key));
    return *found;
  }

  template <typename Visit> void each_member(Visit visit) const {
    auto const* members = get_if<json_object>();
    if (members == nullptr) fail(fmt::format("'{}' must be an object", key()));
    for (auto const& [name, member] : *members) visit(name, cursor(member, this, name));
  }

  template <typename Visit> void each_element(Visit visit) const {
    auto const* elements = get_if<json_list>();
    if (elements == nullptr) fail(fmt::format("'{}' must be a list", key()));
    for (std::size_t i = 0; i < elements->size(); ++i) visit(cursor((*elements)[i], this, i));
  }

  [[nodiscard]] std::string const& string() const {
    auto const* text = get_if<std::string>();
    if (text == nullptr) fail(fmt::format("'{}' must be a string", key()));
    return *text;
  }

  [[nodiscard]] bool boolean() const {
    auto const* value = get_if<bool>();
    if (value == nullptr) fail(fmt::format("'{}' must be true or false", key()));
    return *value;
  }

  /// A count or an index: a number, or (ids of edges) a string of digits.
  [[nodiscard]] std::size_t index() const {
    if (auto const* number = get_if<std::int64_t>(); number != nullptr && *number >= 0)
      return static_cast<std::size_t>(*number);
    if (auto const* text = get_if<std::string>()) {
      std::size_t result = 0;
      auto const [end, failure] =
          std::from_chars(text->data(), text->data() + text->size(), result);
      if (failure == std::errc() && end == text->data() + text->size()) return result;
    }
    fail(fmt::format("'{}' must be an index", key()));
  }

private:
  cursor(json_value const& value, cursor const* parent, std::string_view key)
      : value_(&value), parent_(parent), key_(key) {}
  cursor(json_value const& value, cursor const* parent, std::size_t index)
      : value_(&value), parent_(parent), index_(index) {}

  [[nodiscard]] std::string described() const {
    auto const* type = value_->find("type");
    auto const* text = type == nullptr ? nullptr : type->get_if<std::string>();
    return text == nullptr ? fmt::format("'{}'", key()) : printable(*text);
  }

  json_value const* value_;
  cursor const* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

} // namespace assay::sdfg
