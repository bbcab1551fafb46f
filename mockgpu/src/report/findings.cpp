#include "mockgpu/findings.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace mockgpu {
namespace {

using json = nlohmann::ordered_json;

json to_value(source_location const& l) {
  if (l.line == 0) return nullptr;
  return {{"file", l.file}, {"line", l.line}, {"function", l.function}};
}

json to_value(operation_ref const& o) {
  if (o.what.empty()) return nullptr;
  return {{"what", o.what},   {"name", o.name},     {"chain", o.chain},
          {"issue", o.issue}, {"access", o.access}, {"location", to_value(o.location)}};
}

std::string line_of(operation_ref const& o) {
  std::string text = o.what;
  if (!o.name.empty()) text += " " + o.name;
  if (!o.access.empty()) text += " (" + o.access + ")";
  if (!o.chain.empty()) text += " on " + o.chain;
  if (o.issue != 0) text += ", issue " + std::to_string(o.issue);
  if (o.location.line != 0) text += "\n            at " + o.location.file + ":" + std::to_string(o.location.line);
  return text;
}

} // namespace

std::vector<std::string_view> finding_kinds() {
  return {"device-touches-host", "double-free",    "host-race",            "host-touches-device",
          "invalid-handle",      "leak",           "misaligned",           "out-of-bounds",
          "stream-race",         "subarray-overlap", "undefined-read",     "use-after-free",
          "use-after-free-issue", "use-before-alloc", "workspace-unset",   "wrong-copy-direction",
          "wrong-stream"};
}

std::string identity(finding const& f) {
  auto side = [](operation_ref const& o) { return o.chain + "/" + o.access; };
  auto first = side(f.first), second = side(f.second);
  if (second < first) std::swap(first, second);
  std::string result = f.kind + "|" + f.rule + "|" + std::to_string(f.memory.generation) + "|" +
                       std::to_string(f.byte_begin) + "-" + std::to_string(f.byte_end) + "|" + first + "|" + second;
  // Without memory, the operations are all that tells two findings apart.
  if (f.memory.generation == 0)
    result += "|" + std::to_string(f.first.issue) + "|" + std::to_string(f.second.issue) + "|" + f.message;
  return result;
}

std::string to_text(missing_edge const& e) {
  return (e.how == missing_edge::kind::stream_wait ? "wait:" : "host:") + std::to_string(e.from) + ":" +
         std::to_string(e.to);
}

missing_edge parse_missing_edge(std::string_view text) {
  auto const refuse = [&]() -> missing_edge {
    throw std::invalid_argument("'" + std::string(text) + "' is no edge (wait:FROM:TO or host:FROM:TO)");
  };
  missing_edge result;
  std::string_view rest = text;
  if (rest.starts_with("wait:"))
    result.how = missing_edge::kind::stream_wait;
  else if (rest.starts_with("host:"))
    result.how = missing_edge::kind::host_wait;
  else
    return refuse();
  rest.remove_prefix(5);
  auto const colon = rest.find(':');
  if (colon == std::string_view::npos) return refuse();
  auto const number = [&](std::string_view digits, std::uint64_t& value) {
    auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failed == std::errc{} && end == digits.data() + digits.size();
  };
  if (!number(rest.substr(0, colon), result.from) || !number(rest.substr(colon + 1), result.to)) return refuse();
  return result;
}

std::string to_text(finding const& f) {
  std::string text = (f.advice ? "advice: " : "finding: ") + f.kind + " [" + f.rule + "] " + f.message;
  if (!f.memory.name.empty()) {
    text += "\n  memory:   " + f.memory.name;
    if (!f.memory.sub_array.empty()) text += ", sub-array " + f.memory.sub_array;
    text += " (" + f.memory.space;
    if (f.memory.size_bytes != 0) text += ", " + std::to_string(f.memory.size_bytes) + " bytes";
    text += ")";
    if (f.byte_end > f.byte_begin)
      text += ", bytes " + std::to_string(f.byte_begin) + " to " + std::to_string(f.byte_end - 1);
    if (!f.memory.allocated_by.empty()) text += "\n            from " + f.memory.allocated_by;
  }
  if (!f.first.what.empty()) text += "\n  first:    " + line_of(f.first);
  if (!f.second.what.empty()) text += "\n  second:   " + line_of(f.second);
  if (f.edge) text += "\n  missing:  " + f.edge_words + " [" + to_text(*f.edge) + "]";
  return text;
}

std::string to_json(finding const& f) {
  json value = {{"kind", f.kind}, {"rule", f.rule}, {"message", f.message}, {"advice", f.advice}};
  value["first"] = to_value(f.first);
  value["second"] = to_value(f.second);
  value["memory"] = {{"name", f.memory.name},           {"sub_array", f.memory.sub_array},
                     {"space", f.memory.space},         {"size_bytes", f.memory.size_bytes},
                     {"generation", f.memory.generation}, {"allocated_by", f.memory.allocated_by}};
  value["byte_begin"] = f.byte_begin;
  value["byte_end"] = f.byte_end;
  value["edge"] = f.edge ? json(to_text(*f.edge)) : json(nullptr);
  value["edge_words"] = f.edge_words;
  value["identity"] = identity(f);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace mockgpu
