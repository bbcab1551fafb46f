#include "plan/thread_blocks.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "plan/barriers.hpp"
#include "plan/compute.hpp"
#include "plan/dataflow.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

/// The value of an expression where it is constant, or a bound above that it gives by a minimum.
std::optional<std::int64_t> upper_bound(expression const& e, int depth = 0) {
  auto const value = simplified(e);
  if (value->kind == expression_kind::integer) return value->integer_value;
  if (depth > 3) return std::nullopt;
  // Any argument of a minimum in place of it makes the sum larger, or leaves it.
  std::optional<expression> minimum;
  std::function<void(expression const&, bool)> const find = [&](expression const& x, bool adds) {
    if (minimum) return;
    if (adds && x->kind == expression_kind::call && x->text == "Min") minimum = x;
    if (x->kind == expression_kind::binary && (x->text == "+" || x->text == "-")) {
      find(x->arguments[0], adds);
      find(x->arguments[1], x->text == "+" ? adds : !adds);
    }
  };
  find(value, true);
  if (!minimum) return std::nullopt;
  std::function<expression(expression const&, expression const&)> const replaced =
      [&](expression const& x, expression const& by) -> expression {
    if (x == *minimum) return by;
    if (x->arguments.empty()) return x;
    expression::node copy = *x;
    for (auto& argument : copy.arguments) argument = replaced(argument, by);
    return expression::make(std::move(copy));
  };
  std::optional<std::int64_t> best;
  for (auto const& choice : (*minimum)->arguments)
    if (auto const bound = upper_bound(replaced(value, choice), depth + 1))
      best = best ? std::min(*best, *bound) : *bound;
  return best;
}

} // namespace

std::optional<std::int64_t> most_iterations(sdfg::range const& range) {
  auto const span = upper_bound(range.end - range.begin);
  if (!span || range.step->kind != expression_kind::integer || range.step->integer_value < 1)
    return std::nullopt;
  return *span < 0 ? 0 : *span / range.step->integer_value + 1;
}

bool names_threads(std::string const& code) {
  constexpr std::array<std::string_view, 5> words{"threadIdx", "__syncthreads", "__syncwarp",
                                                  "__shfl", "cub::"};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return code.find(word) != std::string::npos; });
}

bool has_thread_block_maps(sdfg::state const& s, std::size_t entry) {
  std::function<bool(sdfg::region const&)> const in_region = [&](sdfg::region const& r) {
    return std::ranges::any_of(r.blocks, [&](sdfg::block const& block) {
      return std::visit(
          overloaded{[&](sdfg::state const& inner) {
                       for (std::size_t n = 0; n < inner.nodes.size(); ++n) {
                         auto const* map = std::get_if<sdfg::map_entry>(&inner.nodes[n].content);
                         if (map != nullptr && map->schedule == sdfg::schedule::gpu_thread_block)
                           return true;
                         auto const* nested =
                             std::get_if<sdfg::nested_sdfg>(&inner.nodes[n].content);
                         if (nested != nullptr && in_region(nested->body->root)) return true;
                       }
                       return false;
                     },
                     [&](sdfg::conditional_block const& x) {
                       return std::ranges::any_of(
                           x.branches, [&](auto const& branch) { return in_region(*branch.body); });
                     },
                     [&](sdfg::loop_region const& x) { return in_region(*x.body); },
                     [&](sdfg::plain_region const& x) { return in_region(*x.body); },
                     [](sdfg::jump) { return false; }},
          block.content);
    });
  };
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    auto const chain = scope_chain(s, n);
    if (std::ranges::find(chain, entry) == chain.end()) continue;
    auto const* map = std::get_if<sdfg::map_entry>(&s.nodes[n].content);
    if (map != nullptr && map->schedule == sdfg::schedule::gpu_thread_block) return true;
    auto const* nested = std::get_if<sdfg::nested_sdfg>(&s.nodes[n].content);
    if (nested != nullptr && in_region(nested->body->root)) return true;
  }
  return false;
}

compute_block compute_lowering::block_scope(environment env, sdfg::state const& s,
                                            std::size_t entry, std::string const& place) {
  for_block_ = true;
  compute_block out = scope(std::move(env), s, entry, place);
  for_block_ = false;
  insert_barriers(out);
  return out;
}

/// A map over the threads of a block: its last three dimensions along x, y and z.
compute_block compute_lowering::thread_loops(environment env, sdfg::state const& s,
                                             std::size_t entry, std::string const& place) {
  auto const& map = std::get<sdfg::map_entry>(s.nodes[entry].content);
  compute_block scoped;
  read_dynamic_inputs(env, s, entry, scoped);
  std::vector<map_dimension> dimensions;
  for (std::size_t k = 0; k < map.parameters.size(); ++k) {
    dimensions.push_back({names_.fresh(map.parameters[k]), env.resolve(map.ranges[k])});
    env.symbols.insert_or_assign(map.parameters[k], expression::name(dimensions.back().parameter));
    env.containers.erase(map.parameters[k]);
  }
  for_block_ = false;
  compute_block body = scope(env, s, entry, place);
  for_block_ = true;
  for (std::size_t k = dimensions.size(); k-- > 0;) {
    auto const& [parameter, range] = dimensions[k];
    std::size_t const axis = dimensions.size() - 1 - k;
    compute_block outer;
    if (axis < 3) {
      // Without a bound a warp's width does: the threads take turns.
      threads_[axis] =
          std::max(threads_[axis], most_iterations(range).value_or(axis == 0 ? 32 : 1));
      outer.push_back({thread_range{axis, parameter, range, std::move(body)}});
    } else {
      outer.push_back({for_range{parameter, range, false, std::move(body)}});
    }
    body = std::move(outer);
  }
  if (scoped.empty()) return body;
  for (auto& line : body) scoped.push_back(std::move(line));
  body.clear();
  body.push_back({compute_scope{std::move(scoped)}});
  return body;
}

} // namespace assay::plan
