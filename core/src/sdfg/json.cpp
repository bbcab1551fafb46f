#include "sdfg/json.hpp"

#include "assay/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay::sdfg {
namespace {

/// "line 3, column 7" of a byte.
std::string position(std::string_view text, std::size_t byte) {
  auto const before = text.substr(0, std::min(byte, text.size()));
  auto const line = std::count(before.begin(), before.end(), '\n') + 1;
  auto const start = before.rfind('\n');
  auto const column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// Builds the tree from the parser's events. nlohmann's own ordered tree copies every member when
/// an object grows, which is quadratic in the depth.
class builder : public nlohmann::json_sax<nlohmann::json> {
public:
  builder(std::string_view text, json_value& root) : text_(text) { open_.push_back(&root); }

  bool null() override {
    (void)next();
    return true;
  }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(INT64_MAX))
      return place(static_cast<std::int64_t>(value));
    return place(value);
  }
  bool number_float(number_float_t value, string_t const&) override { return place(value); }
  bool string(string_t& value) override { return place(std::move(value)); }
  bool binary(binary_t&) override { return false; } // not in text

  bool start_object(std::size_t) override { return open<json_object>(); }
  bool key(string_t& key) override {
    auto& members = std::get<json_object>(open_.back()->content);
    members.emplace_back().first = std::move(key);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open<json_list>(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t byte, std::string const&,
                   nlohmann::detail::exception const& failure) override {
    constexpr int out_of_range = 406;
    if (failure.id == out_of_range)
      throw error(errc::invalid_input, "not JSON: a number is out of range");
    // `byte` counts from one; past the last one, the text just ends.
    if (byte > text_.size())
      throw error(errc::invalid_input, fmt::format("truncated JSON: the text ends at {}",
                                                   position(text_, text_.size())));
    throw error(errc::invalid_input, fmt::format("not JSON: syntax error at {}",
                                                 position(text_, byte == 0 ? 0 : byte - 1)));
  }

private:
  std::string_view text_;
  // The root, then the containers that are not closed yet; their elements move only while they are
  // closed.
  std::vector<json_value*> open_;
  bool at_root_ = true;

  /// Where the next value goes.
  json_value& next() {
    if (at_root_) {
      at_root_ = false;
      return *open_.back();
    }
    if (auto* list = std::get_if<json_list>(&open_.back()->content)) return list->emplace_back();
    return std::get<json_object>(open_.back()->content).back().second;
  }

  template <typename Value> bool place(Value value) {
    next().content.template emplace<Value>(std::move(value));
    return true;
  }

  template <typename Container> bool open() {
    constexpr std::size_t deepest = 2000; // the tree is walked and destroyed by recursion
    if (open_.size() > deepest)
      throw error(errc::invalid_input,
                  fmt::format("JSON is nested deeper than {} levels", deepest));
    auto& placed = next();
    placed.content.template emplace<Container>();
    open_.push_back(&placed);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }
};

} // namespace

json_value const* json_value::find(std::string_view key) const noexcept {
  auto const* members = get_if<json_object>();
  if (members == nullptr) return nullptr;
  auto const found = std::find_if(members->begin(), members->end(),
                                  [&](json_member const& m) { return m.first == key; });
  return found == members->end() ? nullptr : &found->second;
}

json_value parse_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw error(errc::invalid_input, "the file is empty");
  json_value root;
  builder events(text, root);
  bool const complete = nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  ASSAY_ASSERT(complete); // the events throw what is wrong
  return root;
}

} // namespace assay::sdfg
