#include "sdfg/json_text.hpp"

#include <fmt/format.h>

namespace assay::sdfg {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  out += '"';
}

/// The shortest text that reads back as the same number, and as a real one.
std::string real_text(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

void append(std::string& out, json_value const& value, std::size_t indent);

template <typename List, typename Visit>
void append_list(std::string& out, List const& list, char open, char close, std::size_t indent,
                 Visit visit) {
  out += open;
  bool first = true;
  for (auto const& element : list) {
    if (!first) out += ',';
    first = false;
    (out += '\n').append(indent + 2, ' ');
    visit(element);
  }
  if (!first) (out += '\n').append(indent, ' ');
  out += close;
}

void append(std::string& out, json_value const& value, std::size_t indent) {
  if (auto const* truth = value.get_if<bool>()) {
    out += *truth ? "true" : "false";
  } else if (auto const* number = value.get_if<std::int64_t>()) {
    out += std::to_string(*number);
  } else if (auto const* large = value.get_if<std::uint64_t>()) {
    out += std::to_string(*large);
  } else if (auto const* real = value.get_if<double>()) {
    out += real_text(*real);
  } else if (auto const* text = value.get_if<std::string>()) {
    append_string(out, *text);
  } else if (auto const* list = value.get_if<json_list>()) {
    append_list(out, *list, '[', ']', indent,
                [&](json_value const& element) { append(out, element, indent + 2); });
  } else if (auto const* object = value.get_if<json_object>()) {
    append_list(out, *object, '{', '}', indent, [&](json_member const& member) {
      append_string(out, member.first);
      out += ": ";
      append(out, member.second, indent + 2);
    });
  } else {
    out += "null";
  }
}

} // namespace

std::string json_text(json_value const& value) {
  std::string out;
  append(out, value, 0);
  out += '\n';
  return out;
}

} // namespace assay::sdfg
