#include "assay/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "assay/error.hpp"

namespace assay {
namespace {

template <typename Enum, std::size_t Size> using names = std::array<std::pair<Enum, std::string_view>, Size>;

constexpr names<memory_mode, 4> modes{{{memory_mode::scoped, "scoped"},
                                       {memory_mode::pool, "pool"},
                                       {memory_mode::persistent, "persistent"},
                                       {memory_mode::external, "external"}}};
constexpr names<target, 3> targets{{{target::cuda, "cuda"}, {target::hip, "hip"}, {target::cpu, "cpu"}}};
constexpr names<workspace_layout, 3> layouts{{{workspace_layout::packed, "packed"},
                                              {workspace_layout::aligned, "aligned"},
                                              {workspace_layout::reuse, "reuse"}}};
constexpr names<call_kind, 2> calls{{{call_kind::async, "async"}, {call_kind::sync, "sync"}}};

template <typename Enum, std::size_t Size>
std::string_view name_in(names<Enum, Size> const& table, Enum value) noexcept {
  return table[static_cast<std::size_t>(value)].second;
}

template <typename Enum, std::size_t Size>
Enum parse_in(names<Enum, Size> const& table, std::string_view what, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string known;
  for (auto const& [value, name] : table) {
    if (name == lower) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw error(errc::invalid_input,
              "unknown " + std::string(what) + " '" + std::string(text) + "' (one of " + known + ")");
}

} // namespace

std::string_view name(memory_mode value) noexcept { return name_in(modes, value); }
std::string_view name(target value) noexcept { return name_in(targets, value); }
std::string_view name(workspace_layout value) noexcept { return name_in(layouts, value); }
std::string_view name(call_kind value) noexcept { return name_in(calls, value); }
memory_mode parse_memory_mode(std::string_view text) { return parse_in(modes, "memory mode", text); }
target parse_target(std::string_view text) { return parse_in(targets, "target", text); }
workspace_layout parse_workspace_layout(std::string_view text) {
  return parse_in(layouts, "workspace layout", text);
}
call_kind parse_call_kind(std::string_view text) { return parse_in(calls, "call kind", text); }

} // namespace assay
