#include "inline_ptx.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mockgpu::tools {
namespace {

/// Types and instructions that host assembly has no letters for.
bool looks_like_ptx(std::string_view text) {
  static constexpr std::array<std::string_view, 22> marks = {
      ".u8",      ".u16",  ".u32",    ".u64",   ".s8",      ".s16",     ".s32",
      ".s64",     ".b8",   ".b16",    ".b32",   ".b64",     ".f16",     ".f32",
      ".f64",     ".pred", "membar.", "fence.", "bar.sync", "cp.async", "griddepcontrol",
      "mbarrier."};
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

/// The text between the quotes, for adjacent strings in one.
std::string join_strings(token_list const& tokens, unsigned& at) {
  std::string text;
  for (; tokens[at].kind == token_kind::string || tokens[at].kind == token_kind::directive; ++at) {
    if (tokens[at].kind == token_kind::directive) continue;
    std::string_view const quoted = tokens[at].text;
    std::size_t const begin = quoted.find('"'), end = quoted.rfind('"');
    if (begin < end) text += quoted.substr(begin + 1, end - begin - 1);
    text += ' ';
  }
  return text;
}

/// What a read of a special register is here, or nothing.
std::string_view value_of_register(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> values = {{
      {"%laneid", "::mockgpu_shim::lane_id()"},
      {"%lanemask_eq", "(1u << ::mockgpu_shim::lane_id())"},
      {"%lanemask_lt", "((1u << ::mockgpu_shim::lane_id()) - 1u)"},
      {"%lanemask_le", "((2u << ::mockgpu_shim::lane_id()) - 1u)"},
      {"%lanemask_gt", "~((2u << ::mockgpu_shim::lane_id()) - 1u)"},
      {"%lanemask_ge", "~((1u << ::mockgpu_shim::lane_id()) - 1u)"},
      {"%smid", "0u"},
      {"%warpid", "(::mockgpu_shim::linear_thread() / 32u)"},
  }};
  if (!text.starts_with("mov.") || std::count(text.begin(), text.end(), ';') > 1) return {};
  for (auto const& [name, value] : values) {
    std::size_t const at = text.find(name);
    if (at == text.npos) continue;
    std::size_t const end = at + name.size();
    bool const whole = end == text.size() || text[end] == ';' || text[end] == ' ';
    if (whole) return value;
  }
  return {};
}

/// What orders memory here as a fence there does, or nothing: fences of proxies and of barriers
/// order other things.
std::string_view fence_for(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("; ") + 1);
  static constexpr std::array<std::string_view, 4> kinds = {"membar", "fence", "fence.sc",
                                                            "fence.acq_rel"};
  for (std::string_view const kind : kinds) {
    if (!text.starts_with(kind)) continue;
    std::string_view const scope = text.substr(kind.size());
    if (scope == ".cta") return "::__threadfence_block()";
    if (scope == ".cluster" || scope == ".gpu" || scope == ".gl" || scope == ".sys")
      return "::__threadfence()";
  }
  return {};
}

} // namespace

std::optional<inline_ptx> read_inline_ptx(token_list const& tokens, unsigned at) {
  std::string_view const word = tokens[at].text;
  if (word != "asm" && word != "__asm__" && word != "__asm") return {};
  unsigned open = at + 1;
  while (open < tokens.size() &&
         (tokens[open].text == "volatile" || tokens[open].text == "__volatile__" ||
          tokens[open].kind == token_kind::directive))
    ++open;
  if (open + 1 >= tokens.size() || tokens[open].text != "(" || tokens[open].partner <= open)
    return {};
  unsigned const close = tokens[open].partner;
  unsigned next = open + 1;
  std::string const text = join_strings(tokens, next);
  if (!looks_like_ptx(text)) return {};
  inline_ptx found{close + 1, "::mockgpu_shim::inline_ptx()"};
  if (std::string_view const fence = fence_for(text); !fence.empty()) {
    found.replacement = fence;
    return found;
  }
  // `: "=r"(place)`: an output and nothing else.
  std::string_view const value = value_of_register(text);
  if (value.empty() || tokens[next].text != ":" || tokens[next + 1].kind != token_kind::string ||
      tokens[next + 2].text != "(")
    return found;
  unsigned const end = tokens[next + 2].partner;
  bool const alone = end + 1 == close || (tokens[end + 1].text == ":" && end + 2 == close);
  if (!alone) return found;
  found.replacement = "((";
  for (unsigned i = next + 3; i < end; ++i) found.replacement += std::string(tokens[i].text) + " ";
  found.replacement += ") = " + std::string(value) + ")";
  return found;
}

} // namespace mockgpu::tools
