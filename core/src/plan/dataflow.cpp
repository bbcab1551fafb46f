#include "plan/dataflow.hpp"

#include <limits>
#include <set>

#include "assay/error.hpp"

namespace assay::plan {
namespace {

template <typename Kind> bool is(sdfg::node const& n) { return std::holds_alternative<Kind>(n.content); }

} // namespace

adjacency adjacency_of(sdfg::state const& s) {
  adjacency result;
  result.in.resize(s.nodes.size());
  result.out.resize(s.nodes.size());
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    result.in[s.edges[e].target].push_back(e);
    result.out[s.edges[e].source].push_back(e);
  }
  return result;
}

std::vector<std::size_t> scope_order(sdfg::state const& s, std::optional<std::size_t> entry,
                                     std::string const& place) {
  // An inner scope is one vertex, represented by its entry: edges of its exit leave from there.
  constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  auto const find_representative = [&](std::size_t n) {
    if (is<sdfg::map_exit>(s.nodes[n])) {
      auto const own_entry = s.nodes[n].scope_entry;
      return own_entry && s.nodes[*own_entry].scope_entry == entry ? *own_entry : nobody;
    }
    return s.nodes[n].scope_entry == entry ? n : nobody;
  };
  std::vector<std::size_t> representative(s.nodes.size());
  std::size_t members = 0;
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    representative[n] = find_representative(n);
    members += representative[n] == n ? 1 : 0;
  }
  std::vector<std::vector<std::size_t>> successors(s.nodes.size());
  std::vector<int> missing(s.nodes.size(), 0);
  for (auto const& e : s.edges) {
    auto const from = representative[e.source], to = representative[e.target];
    if (from == nobody || to == nobody || from == to) continue;
    successors[from].push_back(to);
    ++missing[to];
  }
  std::set<std::size_t> ready;
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    if (representative[n] == n && missing[n] == 0) ready.insert(n);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    std::size_t const n = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(n);
    for (std::size_t const next : successors[n])
      if (--missing[next] == 0) ready.insert(next);
  }
  if (order.size() != members) throw error(errc::invalid_input, "dataflow of the state has a cycle", place);
  return order;
}

std::vector<std::size_t> scope_chain(sdfg::state const& s, std::size_t node) {
  std::vector<std::size_t> chain;
  for (auto scope = s.nodes[node].scope_entry; scope; scope = s.nodes[*scope].scope_entry)
    chain.insert(chain.begin(), *scope);
  return chain;
}

std::size_t path_source(sdfg::state const& s, std::size_t edge) {
  auto const& e = s.edges[edge];
  bool const scope = is<sdfg::map_entry>(s.nodes[e.source]) || is<sdfg::map_exit>(s.nodes[e.source]);
  if (scope && e.source_connector.starts_with("OUT_")) {
    std::string const inner = "IN_" + e.source_connector.substr(4);
    for (std::size_t k = 0; k < s.edges.size(); ++k)
      if (s.edges[k].target == e.source && s.edges[k].target_connector == inner) return path_source(s, k);
  }
  return e.source;
}

std::size_t path_target(sdfg::state const& s, std::size_t edge) {
  auto const& e = s.edges[edge];
  bool const scope = is<sdfg::map_entry>(s.nodes[e.target]) || is<sdfg::map_exit>(s.nodes[e.target]);
  if (scope && e.target_connector.starts_with("IN_")) {
    std::string const outer = "OUT_" + e.target_connector.substr(3);
    for (std::size_t k = 0; k < s.edges.size(); ++k)
      if (s.edges[k].source == e.target && s.edges[k].source_connector == outer) return path_target(s, k);
  }
  return e.target;
}

std::vector<sequence_item> sequence_of(sdfg::region const& r, std::string const& place) {
  std::vector<sequence_item> result;
  if (r.blocks.empty()) return result;
  std::set<std::size_t> seen;
  sequence_item item{nullptr, &r.blocks[r.start]};
  std::size_t current = r.start;
  while (item.block != nullptr) {
    if (!seen.insert(current).second)
      throw error(errc::unsupported, "state machine with a cycle outside a loop region", item.block->place);
    result.push_back(item);
    item = {};
    for (auto const& e : r.edges) {
      if (e.source != current) continue;
      if (item.block != nullptr)
        throw error(errc::unsupported, "state machine that branches outside a conditional block",
                    result.back().block->place);
      item = {&e, &r.blocks[e.target]};
    }
    if (item.block != nullptr) current = item.via->target;
  }
  if (result.size() != r.blocks.size())
    throw error(errc::unsupported, "state machine with blocks that are not reached in a line", place);
  return result;
}

} // namespace assay::plan
