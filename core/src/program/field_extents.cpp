#include "program/field_extents.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace assay {
namespace {

bool writes(sdfg::region const& region, std::string const& container) {
  return std::ranges::any_of(region.blocks, [&](sdfg::block const& block) {
    if (auto const* s = std::get_if<sdfg::state>(&block.content))
      return std::ranges::any_of(s->edges, [&](sdfg::edge const& edge) {
        auto const* target = std::get_if<sdfg::access_node>(&s->nodes[edge.target].content);
        return target != nullptr && target->data == container && edge.memlet.data.has_value();
      });
    if (auto const* loop = std::get_if<sdfg::loop_region>(&block.content))
      return writes(*loop->body, container);
    if (auto const* plain = std::get_if<sdfg::plain_region>(&block.content))
      return writes(*plain->body, container);
    if (auto const* choice = std::get_if<sdfg::conditional_block>(&block.content))
      return std::ranges::any_of(choice->branches, [&](sdfg::conditional_branch const& branch) {
        return writes(*branch.body, container);
      });
    return false;
  });
}

} // namespace

std::optional<std::int64_t> field_extents::of(std::string const& symbol) {
  constexpr std::int64_t margin = 3, least = 20; // symbols that are made up are below 20
  constexpr std::string_view range = "_range_", size = "_source_size";
  if (!symbol.starts_with("__")) return std::nullopt;
  if (symbol.ends_with(size)) return 2 * least;
  auto const at = symbol.rfind(range);
  if (at == std::string::npos || at + range.size() + 1 != symbol.size()) return std::nullopt;
  // Names of fields and of dimensions have underscores: the longest that is a field.
  auto dimension_at = symbol.rfind('_', at - 1);
  while (dimension_at != std::string::npos && dimension_at >= 3 &&
         program_.find(symbol.substr(2, dimension_at - 2)) == nullptr)
    dimension_at = symbol.rfind('_', dimension_at - 1);
  if (dimension_at == std::string::npos || dimension_at < 3) return std::nullopt;
  auto const field = symbol.substr(2, dimension_at - 2);
  std::int64_t const outside = writes(program_.root, field) ? 0 : margin;
  if (symbol.back() == '0') return -outside;
  auto const [entry, is_new] = sizes_.try_emplace(
      symbol.substr(dimension_at + 1, at - dimension_at - 1), least + std::ssize(sizes_));
  return entry->second + outside;
}

} // namespace assay
