#include "program/field_extents.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "assay/error.hpp"

namespace assay {
namespace {

template <typename Visit> void each_state(sdfg::region const& region, Visit const& visit) {
  for (auto const& block : region.blocks) {
    if (auto const* s = std::get_if<sdfg::state>(&block.content)) visit(*s);
    if (auto const* loop = std::get_if<sdfg::loop_region>(&block.content))
      each_state(*loop->body, visit);
    if (auto const* plain = std::get_if<sdfg::plain_region>(&block.content))
      each_state(*plain->body, visit);
    if (auto const* choice = std::get_if<sdfg::conditional_block>(&block.content))
      for (auto const& branch : choice->branches) each_state(*branch.body, visit);
  }
}

bool writes(sdfg::region const& region, std::string const& container) {
  bool found = false;
  each_state(region, [&](sdfg::state const& s) {
    found = found || std::ranges::any_of(s.edges, [&](sdfg::edge const& edge) {
              auto const* target = std::get_if<sdfg::access_node>(&s.nodes[edge.target].content);
              return target != nullptr && target->data == container && edge.memlet.data.has_value();
            });
  });
  return found;
}

bool is_access(sdfg::node const& node, std::string const& container) {
  auto const* access = std::get_if<sdfg::access_node>(&node.content);
  return access != nullptr && access->data == container;
}

} // namespace

std::optional<std::int64_t> field_extents::of(std::string const& symbol) {
  constexpr std::int64_t margin = 3, least = 20; // symbols that are made up are below 20
  constexpr std::string_view range = "_range_", size = "_source_size";
  if (!symbol.starts_with("__")) return std::nullopt;
  if (symbol.ends_with(size)) return 2 * least + grown_;
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
  return entry->second + grown_ + outside;
}

std::int64_t field_extents::missing(symbol_values const& symbols) const {
  std::int64_t most = 0;
  auto const look = [&](sdfg::descriptor const& d, sdfg::subset const& where) {
    for (std::size_t k = 0; k < where.size() && k < d.shape.size(); ++k) {
      try {
        most = std::max(most, evaluate_integer(where[k].end, symbols) + 1 -
                                  evaluate_integer(d.shape[k], symbols));
      } catch (error const&) { // the program assigns one of its symbols itself
      }
    }
  };
  each_state(program_.root, [&](sdfg::state const& s) {
    for (auto const& edge : s.edges) {
      if (!edge.memlet.data || !edge.memlet.subset) continue;
      auto const& name = *edge.memlet.data;
      auto const* d = program_.find(name);
      if (d != nullptr && !d->transient &&
          (is_access(s.nodes[edge.source], name) || is_access(s.nodes[edge.target], name)))
        look(*d, *edge.memlet.subset);
    }
  });
  return most;
}

} // namespace assay
