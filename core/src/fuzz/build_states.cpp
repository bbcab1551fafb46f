#include "fuzz/program_builder.hpp"

namespace assay::fuzz {

void program_builder::append(open_region& r, sdfg::block block) {
  block.place = fresh_place();
  block.label = "block_" + std::to_string(next_place_);
  auto const index = r.region->blocks.size();
  r.region->blocks.push_back(std::move(block));
  if (index == 0 && !r.assignments.empty()) { // an assignment needs an edge to sit on
    sdfg::block first = std::move(r.region->blocks.back());
    r.region->blocks.back() = {};
    r.region->blocks.back().label = "block_start_" + std::to_string(next_place_);
    r.region->blocks.back().place = fresh_place();
    r.region->blocks.push_back(std::move(first));
  }
  auto const last = r.region->blocks.size() - 1;
  if (last > 0) {
    sdfg::interstate_edge e;
    e.source = last - 1;
    e.target = last;
    e.assignments = std::move(r.assignments);
    e.place = fresh_place();
    r.region->edges.push_back(std::move(e));
  }
  r.assignments.clear();
}

void program_builder::close_state(open_region& r) {
  if (r.state.state.nodes.empty()) return;
  sdfg::block block;
  block.content = std::move(r.state.state);
  r.state = {};
  append(r, std::move(block));
}

std::size_t program_builder::add_node(open_state& s, std::string label,
                                      decltype(sdfg::node::content) content) {
  sdfg::node n;
  n.label = std::move(label);
  n.place = fresh_place();
  n.content = std::move(content);
  s.state.nodes.push_back(std::move(n));
  return s.state.nodes.size() - 1;
}

std::size_t program_builder::add_access(context& c, open_state& s, std::size_t id) {
  c.containers[id].used = true;
  if (c.containers[id].shape == shape_kind::z && c.containers[id].where != place_kind::scalar &&
      result_.symbols.at("Z") == 0)
    result_.has.zero_size = true;
  if (c.containers[id].where == place_kind::host && c.containers[id].transient)
    result_.has.host_transient = true;
  std::string const& name = c.containers[id].name;
  return add_node(s, name, sdfg::access_node{name, c.is_root && zero_filled_.contains(name)});
}

void program_builder::add_edge(open_state& s, std::size_t source, std::string source_connector,
                               std::size_t target, std::string target_connector, memlet m) {
  sdfg::edge e;
  e.source = source;
  e.target = target;
  e.source_connector = std::move(source_connector);
  e.target_connector = std::move(target_connector);
  e.memlet = std::move(m);
  e.place = fresh_place();
  s.state.edges.push_back(std::move(e));
}

memlet program_builder::part(std::string data, subset where) {
  memlet m;
  m.data = std::move(data);
  m.subset = std::move(where);
  return m;
}

ends program_builder::connect(context& c, open_region& r, std::vector<std::size_t> const& sources,
                              std::size_t target) {
  bool const in_place = std::ranges::find(sources, target) != sources.end();
  if (auto const found = r.state.latest.find(target);
      found != r.state.latest.end() && (!in_place || r.state.has_readers(found->second)))
    close_state(r);
  auto& s = r.state;
  ends result;
  std::set<int> before;
  std::vector<std::set<int>> histories;
  for (auto const id : sources) {
    auto found = s.latest.find(id);
    if (found == s.latest.end()) found = s.latest.emplace(id, add_access(c, s, id)).first;
    result.sources.push_back(found->second);
    auto const made = s.made_by.find(found->second);
    histories.push_back(made == s.made_by.end() ? std::set<int>{} : made->second);
    before.insert(histories.back().begin(), histories.back().end());
  }
  for (std::size_t a = 0; a < histories.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (!histories[a].empty() && !histories[b].empty() &&
          !std::ranges::includes(histories[a], histories[b]) &&
          !std::ranges::includes(histories[b], histories[a]))
        result_.has.parallel_join = true;
  result.target = add_access(c, s, target);
  s.latest[target] = result.target;
  before.insert(s.operations++);
  s.made_by[result.target] = std::move(before);
  c.containers[target].written = true;
  c.containers[target].defined = true;
  ++result_.has.operations;
  return result;
}

} // namespace assay::fuzz
