#include "mockgpu/findings.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <tuple>

#include "report/json_text.hpp"

namespace mockgpu {
namespace {

std::string json(source_location const& place) {
  return "{\"file\":" + quote(place.file) + ",\"line\":" + std::to_string(place.line) +
         ",\"function\":" + quote(place.function) + "}";
}

std::string json(operation_ref const& side) {
  if (side.what.empty()) return "null";
  return "{\"what\":" + quote(side.what) + ",\"name\":" + quote(side.name) +
         ",\"chain\":" + quote(side.chain) + ",\"issue\":" + std::to_string(side.issue) +
         ",\"access\":" + quote(side.access) + ",\"location\":" + json(side.location) +
         ",\"thread\":" + quote(side.thread) + "}";
}

std::string json(memory_ref const& memory) {
  return "{\"name\":" + quote(memory.name) + ",\"sub_array\":" + quote(memory.sub_array) +
         ",\"space\":" + quote(memory.space) + ",\"address\":" + std::to_string(memory.address) +
         ",\"size_bytes\":" + std::to_string(memory.size_bytes) +
         ",\"generation\":" + std::to_string(memory.generation) +
         ",\"allocated_by\":" + quote(memory.allocated_by) + "}";
}

std::string ranges_text(std::vector<byte_range> const& ranges) {
  std::string text;
  for (byte_range const& range : ranges)
    text +=
        (text.empty() ? "" : ",") + std::to_string(range.begin) + "-" + std::to_string(range.end);
  return text;
}

std::string side_text(operation_ref const& side) {
  std::string text = side.chain + "/" + side.access;
  // Threads of one kernel are told apart by what they do: their names are an example.
  if (!side.thread.empty())
    text += "/" + side.name + ":" + side.location.file + ":" + std::to_string(side.location.line);
  return text;
}

/// What `coalesce` joins by: everything of the identity but the bytes.
std::string group(finding const& one) {
  std::string first = side_text(one.first), second = side_text(one.second);
  // Which side was issued first may differ between two pairs of the same chains.
  if (second < first) std::swap(first, second);
  std::string const memory = one.memory.generation != 0 ? std::to_string(one.memory.generation)
                                                        : one.memory.space + ":" + one.memory.name;
  std::string text = one.kind + "|" + one.rule + "|" + memory + "|" + first + "|" + second;
  if (one.ranges.empty()) text += "|" + one.message; // about a handle or a call, not about bytes
  return text;
}

std::string side_lines(char const* label, operation_ref const& side) {
  if (side.what.empty()) return {};
  std::string text = std::string("\n  ") + label + ": ";
  if (!side.access.empty()) text += side.access + " by ";
  text += side.what;
  if (!side.name.empty()) text += " " + side.name;
  text += " on " + side.chain;
  text += side.what == "host access" ? ", after issue " : ", issue ";
  text += std::to_string(side.issue);
  if (!side.thread.empty()) text += ", " + side.thread;
  if (side.location.line != 0) {
    text += "\n         at " + side.location.file + ":" + std::to_string(side.location.line);
    if (!side.location.function.empty()) text += " in " + side.location.function;
  }
  return text;
}

} // namespace

std::vector<std::string_view> finding_kinds() {
  return {"barrier-divergence",
          "device-touches-host",
          "double-free",
          "foreign-error",
          "host-race",
          "host-touches-device",
          "ignored-error",
          "implicit-free-order",
          "invalid-handle",
          "kernel-fault",
          "leak",
          "misaligned",
          "out-of-bounds",
          "stream-race",
          "subarray-overlap",
          "superfluous-wait",
          "thread-race",
          "undefined-read",
          "use-after-free",
          "use-after-free-issue",
          "use-before-alloc",
          "workspace-unordered",
          "workspace-unset",
          "wrong-copy-direction",
          "wrong-device",
          "wrong-stream"};
}

std::string identity(finding const& one) { return group(one) + "|" + ranges_text(one.ranges); }

void normalise(std::vector<byte_range>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (byte_range const& range : ranges) {
    if (kept != 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

std::vector<finding> coalesce(std::vector<finding> all) {
  std::stable_sort(all.begin(), all.end(), [](finding const& a, finding const& b) {
    return std::tie(a.first.issue, a.second.issue) < std::tie(b.first.issue, b.second.issue);
  });
  std::map<std::string, std::size_t> places;
  std::vector<finding> result;
  for (finding& one : all) {
    auto const [place, fresh] = places.try_emplace(group(one), result.size());
    if (fresh) {
      result.push_back(std::move(one));
      continue;
    }
    finding& into = result[place->second];
    into.ranges.insert(into.ranges.end(), one.ranges.begin(), one.ranges.end());
    normalise(into.ranges);
    if (!into.ranges.empty()) {
      into.byte_begin = into.ranges.front().begin;
      into.byte_end = into.ranges.back().end;
    }
  }
  std::stable_sort(result.begin(), result.end(), [](finding const& a, finding const& b) {
    return std::tie(a.first.issue, a.second.issue, a.kind, a.byte_begin) <
           std::tie(b.first.issue, b.second.issue, b.kind, b.byte_begin);
  });
  return result;
}

std::string to_text(missing_edge const& edge) {
  return (edge.how == missing_edge::kind::stream_wait ? "wait:" : "host:") +
         std::to_string(edge.from) + ":" + std::to_string(edge.to);
}

missing_edge parse_missing_edge(std::string_view text) {
  auto const fail = [text] {
    throw std::invalid_argument(
        "'" + std::string(text) +
        "' is no edge: expected wait:FROM:TO or host:FROM:TO with issue numbers");
  };
  missing_edge edge;
  if (text.starts_with("host:"))
    edge.how = missing_edge::kind::host_wait;
  else if (!text.starts_with("wait:"))
    fail();
  char const* const end = text.data() + text.size();
  auto const [colon, first] = std::from_chars(text.data() + 5, end, edge.from);
  if (first != std::errc() || colon == end || *colon != ':') fail();
  auto const [rest, second] = std::from_chars(colon + 1, end, edge.to);
  if (second != std::errc() || rest != end || edge.from == 0 || edge.to == 0) fail();
  return edge;
}

std::string to_text(finding const& one) {
  std::string text = one.kind + (one.advice ? " (advice): " : ": ") + one.message;
  text += side_lines("first ", one.first) + side_lines("second", one.second);
  if (!one.memory.name.empty()) {
    text += "\n  memory: " + one.memory.name;
    if (!one.memory.sub_array.empty()) text += ", sub-array " + one.memory.sub_array;
    text += " (" + one.memory.space;
    if (one.memory.size_bytes != 0) text += ", " + std::to_string(one.memory.size_bytes) + " bytes";
    if (!one.memory.allocated_by.empty()) text += ", from " + one.memory.allocated_by;
    text += ")";
  }
  if (!one.ranges.empty()) {
    constexpr std::size_t shown = 8;
    std::vector<byte_range> some(one.ranges.begin(),
                                 one.ranges.begin() +
                                     std::ptrdiff_t(std::min(shown, one.ranges.size())));
    text += "\n  bytes : " + ranges_text(some);
    if (one.ranges.size() > shown)
      text += " and " + std::to_string(one.ranges.size() - shown) + " more ranges";
  }
  text += "\n  rule  : " + one.rule;
  if (!one.edge_words.empty()) text += "\n  cure  : " + one.edge_words;
  if (one.edge) text += "  [" + to_text(*one.edge) + "]";
  if (!one.token.empty()) text += "\n  replay: MOCKGPU_SCHEDULE=replay:" + one.token;
  return text;
}

std::string to_json(finding const& one) {
  std::string ranges;
  for (byte_range const& range : one.ranges)
    ranges += (ranges.empty() ? "[" : ",[") + std::to_string(range.begin) + "," +
              std::to_string(range.end) + "]";
  return "{\"kind\":" + quote(one.kind) + ",\"rule\":" + quote(one.rule) +
         ",\"message\":" + quote(one.message) + ",\"first\":" + json(one.first) +
         ",\"second\":" + json(one.second) + ",\"memory\":" + json(one.memory) +
         ",\"byte_begin\":" + std::to_string(one.byte_begin) +
         ",\"byte_end\":" + std::to_string(one.byte_end) + ",\"ranges\":[" + ranges +
         "],\"edge\":" + (one.edge ? quote(to_text(*one.edge)) : "null") +
         ",\"edge_words\":" + quote(one.edge_words) +
         ",\"advice\":" + (one.advice ? "true" : "false") +
         ",\"identity\":" + quote(identity(one)) + ",\"token\":" + quote(one.token) + "}";
}

} // namespace mockgpu
