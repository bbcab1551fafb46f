#include "plan/references.hpp"

#include <algorithm>
#include <functional>

#include "assay/error.hpp"
#include "plan/assigned_symbols.hpp"
#include "plan/dataflow.hpp"
#include "plan/views.hpp"

namespace assay::plan {
namespace {

std::string const* container_at(sdfg::state const& s, std::size_t node) {
  auto const* access = std::get_if<sdfg::access_node>(&s.nodes[node].content);
  return access == nullptr ? nullptr : &access->data;
}

bool is_reference(sdfg::graph const& graph, std::string const& container) {
  auto const* d = graph.find(container);
  return d != nullptr && d->kind == sdfg::descriptor_kind::reference;
}

/// Follows views and references to what holds memory. References may be set to each other.
class target_search {
public:
  explicit target_search(sdfg::graph const& graph) : graph_(graph) {}

  void reference(std::string const& name) {
    if (!seen_.insert(name).second) return;
    bool is_set = false;
    std::function<void(sdfg::region const&)> const walk = [&](sdfg::region const& r) {
      for (auto const& block : r.blocks) {
        if (auto const* s = std::get_if<sdfg::state>(&block.content))
          for (std::size_t e = 0; e < s->edges.size(); ++e)
            if (is_set_edge(graph_, *s, e) && *container_at(*s, s->edges[e].target) == name) {
              is_set = true;
              edge(*s, e);
            }
        for (auto const* inner : inner_regions(block)) walk(*inner);
      }
    };
    walk(graph_.root);
    if (!is_set)
      throw error(errc::unsupported, "reference '" + name + "' that nothing sets",
                  graph_.find(name)->place);
  }

  void edge(sdfg::state const& s, std::size_t e) {
    auto const source = path_source(s, e);
    auto const* name = container_at(s, source);
    auto const& set = s.edges[e];
    if (name == nullptr)
      throw error(errc::unsupported,
                  "reference '" + *container_at(s, set.target) + "' that code sets", set.place);
    views_ = 0;
    container(s, source, *name, set.place);
  }

  std::vector<std::string> found;

private:
  sdfg::graph const& graph_;
  std::set<std::string> seen_;
  std::size_t views_ = 0;

  void container(sdfg::state const& s, std::size_t node, std::string const& name,
                 std::string const& place) {
    auto const* d = graph_.find(name);
    if (is_reference(graph_, name)) return reference(name);
    if (d == nullptr || d->kind != sdfg::descriptor_kind::view) {
      if (std::ranges::find(found, name) == found.end()) found.push_back(name);
      return;
    }
    auto const shown = shown_by(graph_, s, node);
    if (!shown || ++views_ > s.nodes.size()) // files may hold circles of them
      throw error(errc::unsupported, "view '" + name + "' of something that is no container",
                  place);
    container(s, *shown, *container_at(s, *shown), place);
  }
};

} // namespace

bool is_set_edge(sdfg::graph const& graph, sdfg::state const& s, std::size_t edge) {
  if (s.edges[edge].target_connector != "set") return false;
  auto const* name = container_at(s, s.edges[edge].target);
  return name != nullptr && is_reference(graph, *name);
}

std::vector<std::string> targets_of(sdfg::graph const& graph, std::string const& reference) {
  target_search search(graph);
  search.reference(reference);
  auto const& d = *graph.find(reference);
  for (auto const& target : search.found)
    if (auto const* other = graph.find(target); other != nullptr && other->type != d.type)
      throw error(errc::unsupported,
                  "reference '" + reference + "' to '" + target + "' as another type", d.place);
  return std::move(search.found);
}

std::vector<std::string> targets_of_edge(sdfg::graph const& graph, sdfg::state const& s,
                                         std::size_t edge) {
  target_search search(graph);
  search.edge(s, edge);
  return std::move(search.found);
}

std::set<std::string> references_in(sdfg::graph const& graph, sdfg::state const& s) {
  std::set<std::string> result;
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    if (auto const* name = container_at(s, n); name != nullptr && is_reference(graph, *name))
      result.insert(*name);
  return result;
}

bool is_at_top_level(sdfg::region const& r, std::string const& container) {
  return std::ranges::any_of(r.blocks, [&](sdfg::block const& block) {
    if (auto const* s = std::get_if<sdfg::state>(&block.content))
      return std::ranges::any_of(s->nodes, [&](sdfg::node const& node) {
        auto const* access = std::get_if<sdfg::access_node>(&node.content);
        return access != nullptr && !node.scope_entry && access->data == container;
      });
    return std::ranges::any_of(inner_regions(block), [&](sdfg::region const* inner) {
      return is_at_top_level(*inner, container);
    });
  });
}

void demand_one_order(sdfg::graph const& graph, sdfg::state const& s,
                      std::string const& reference) {
  std::optional<std::size_t> set;
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    auto const& edge = s.edges[e];
    if (!is_set_edge(graph, s, e) || *container_at(s, edge.target) != reference) continue;
    if (set)
      throw error(errc::unsupported, "reference '" + reference + "' that one state sets twice",
                  edge.place);
    set = edge.target;
  }
  if (!set) return;
  std::vector<bool> behind(s.nodes.size(), false);
  std::vector<std::size_t> open{*set};
  while (!open.empty()) {
    auto const n = open.back();
    open.pop_back();
    if (behind[n]) continue;
    behind[n] = true;
    for (auto const& edge : s.edges)
      if (edge.source == n) open.push_back(edge.target);
  }
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    if (auto const* name = container_at(s, n); name != nullptr && *name == reference && !behind[n])
      throw error(errc::unsupported,
                  "reference '" + reference + "' used in no order with where its state sets it",
                  s.nodes[n].place);
}

expression set_offset(environment const& env, sdfg::state const& s, std::size_t edge) {
  auto const& set = s.edges[edge];
  std::string const source = *container_at(s, path_source(s, edge));
  auto const found = env.containers.find(source);
  if (found == env.containers.end())
    throw error(errc::unsupported, "container '" + source + "' is not available to this code",
                set.place);
  auto const& m = set.memlet;
  std::optional<sdfg::subset> where;
  if (m.data) where = *m.data == source ? m.subset : m.other_subset;
  return simplified(
      element_offset(env, found->second, where.value_or(whole(*found->second.descriptor))));
}

} // namespace assay::plan
