#include "plan/views.hpp"

#include <algorithm>
#include <vector>

#include "assay/error.hpp"
#include "plan/dataflow.hpp"

namespace assay::plan {
namespace {

/// The access node's container where it is a view.
std::string const* view_at(sdfg::graph const& graph, sdfg::state const& s, std::size_t node) {
  auto const* access = std::get_if<sdfg::access_node>(&s.nodes[node].content);
  if (access == nullptr) return nullptr;
  auto const* d = graph.find(access->data);
  return d != nullptr && d->kind == sdfg::descriptor_kind::view ? &access->data : nullptr;
}

/// The edge between a view's access node and what it shows, by the rules of the format: the side
/// with exactly one edge, the one that reaches an access node, the connector `views`, the memlet
/// that names something else, the input.
std::optional<std::size_t> viewed_edge(sdfg::state const& s, std::size_t node,
                                       std::string const& view) {
  std::vector<std::size_t> in, out;
  std::optional<std::size_t> marked;
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    auto const& edge = s.edges[e];
    if (!edge.memlet.data) continue;
    if (edge.target == node) in.push_back(e);
    if (edge.source == node) out.push_back(e);
    bool const says_so = (edge.target == node && edge.target_connector == "views") ||
                         (edge.source == node && edge.source_connector == "views");
    if (says_so) marked = e;
  }
  if (marked) return marked;
  if (in.size() == 1 && out.size() != 1) return in.front();
  if (out.size() == 1 && in.size() != 1) return out.front();
  if (in.size() != 1) return std::nullopt;
  auto const is_access = [&](std::size_t n) {
    return std::holds_alternative<sdfg::access_node>(s.nodes[n].content);
  };
  bool const from_access = is_access(path_source(s, in.front()));
  bool const to_access = is_access(path_target(s, out.front()));
  if (from_access != to_access) return from_access ? in.front() : out.front();
  bool const in_names_other = *s.edges[in.front()].memlet.data != view;
  bool const out_names_other = *s.edges[out.front()].memlet.data != view;
  if (in_names_other != out_names_other) return in_names_other ? in.front() : out.front();
  return in.front();
}

bool same(binding const& a, binding const& b) {
  return a.variable == b.variable && a.is_value == b.is_value && a.offset == b.offset;
}

} // namespace

bool is_view_edge(sdfg::graph const& graph, sdfg::state const& s, std::size_t edge) {
  for (std::size_t const node : {s.edges[edge].source, s.edges[edge].target})
    if (auto const* view = view_at(graph, s, node))
      if (viewed_edge(s, node, *view) == edge) return true;
  return false;
}

std::optional<std::size_t> shown_by(sdfg::graph const& graph, sdfg::state const& s,
                                    std::size_t node) {
  auto const* view = view_at(graph, s, node);
  ASSAY_ASSERT(view != nullptr);
  auto const edge = viewed_edge(s, node, *view);
  if (!edge) return std::nullopt;
  auto const other = s.edges[*edge].target == node ? path_source(s, *edge) : path_target(s, *edge);
  auto const* shown = std::get_if<sdfg::access_node>(&s.nodes[other].content);
  if (shown == nullptr || shown->data == *view) return std::nullopt;
  return other;
}

void bind_views(environment& env, sdfg::state const& s, std::optional<std::size_t> entry) {
  struct pending_view {
    std::size_t node = 0, edge = 0;
    std::string name, shown;
  };
  std::vector<pending_view> pending;
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    auto const* view = s.nodes[n].scope_entry == entry ? view_at(*env.graph, s, n) : nullptr;
    if (view == nullptr) continue;
    auto const shown = shown_by(*env.graph, s, n);
    if (!shown)
      throw error(errc::unsupported, "view '" + *view + "' of something that is no container",
                  s.nodes[n].place);
    pending.push_back({n, *viewed_edge(s, n, *view), *view,
                       std::get<sdfg::access_node>(s.nodes[*shown].content).data});
  }
  std::map<std::string, binding> bound;
  while (!pending.empty()) {
    // What shows another view of this state is bound after it.
    auto const next = std::ranges::find_if(pending, [&](pending_view const& one) {
      return env.containers.contains(one.shown) &&
             std::ranges::none_of(
                 pending, [&](pending_view const& other) { return other.name == one.shown; });
    });
    if (next == pending.end())
      throw error(errc::unsupported,
                  "view '" + pending.front().name + "' of a container that is not available here",
                  s.nodes[pending.front().node].place);
    auto const& outer = env.containers.at(next->shown);
    auto const& m = s.edges[next->edge].memlet;
    auto const* descriptor = env.graph->find(next->name);
    ASSAY_ASSERT(descriptor != nullptr);
    if (descriptor->type != outer.descriptor->type)
      throw error(errc::unsupported,
                  "view '" + next->name + "' shows '" + next->shown + "' as another type",
                  s.nodes[next->node].place);
    binding b = outer;
    b.descriptor = descriptor;
    auto const& where = *m.data == next->name ? m.other_subset : m.subset;
    b.offset = where ? element_offset(env, outer, *where)
                     : element_offset(env, outer, whole(*outer.descriptor));
    auto const [place, is_new] = bound.emplace(next->name, b);
    if (!is_new && !same(place->second, b))
      throw error(errc::unsupported, "view '" + next->name + "' shows two things in one state",
                  s.nodes[next->node].place);
    env.containers[next->name] = b;
    pending.erase(next);
  }
}

} // namespace assay::plan
