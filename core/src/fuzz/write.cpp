#include "fuzz/write.hpp"

#include <fmt/format.h>

#include "assay/error.hpp"
#include "sdfg/json_text.hpp"

namespace assay::fuzz {
namespace {

using sdfg::json_list;
using sdfg::json_object;
using sdfg::json_value;

json_value text(std::string_view value) { return {std::string(value)}; }
json_value text(expression const& value) { return {to_text(value)}; }
json_value number(std::size_t value) { return {static_cast<std::int64_t>(value)}; }
json_value truth(bool value) { return {value}; }

json_value code(std::string source, sdfg::language language = sdfg::language::python) {
  return {json_object{{"string_data", {std::move(source)}},
                      {"language", text(language == sdfg::language::cpp ? "CPP" : "Python")}}};
}

json_value expressions(expression_list const& list) {
  json_list result;
  for (expression const& each : list) result.push_back(text(each));
  return {std::move(result)};
}

json_value connectors(std::vector<std::string> const& names) {
  json_object result;
  for (std::string const& name : names) result.emplace_back(name, json_value{});
  return {std::move(result)};
}

json_value descriptor(sdfg::descriptor const& d) {
  constexpr std::string_view kinds[] = {"Scalar", "Array", "View", "Reference"};
  json_object attributes{{"dtype", text(name(d.type))},
                         {"shape", expressions(d.shape)},
                         {"transient", truth(d.transient)},
                         {"storage", text(sdfg::name(d.storage))},
                         {"lifetime", text(sdfg::name(d.lifetime))}};
  if (d.kind != sdfg::descriptor_kind::scalar) {
    attributes.emplace_back("strides", expressions(d.strides));
    attributes.emplace_back("offset", expressions(d.offset));
    attributes.emplace_back("total_size", text(d.total_size));
    attributes.emplace_back("start_offset", text(d.start_offset));
    attributes.emplace_back("alignment", number(static_cast<std::size_t>(d.alignment_bytes)));
    attributes.emplace_back("pool", truth(d.pool));
  }
  return {json_object{{"type", text(kinds[static_cast<std::size_t>(d.kind)])},
                      {"attributes", {std::move(attributes)}}}};
}

json_value subset(sdfg::subset const& dimensions) {
  json_list ranges;
  for (sdfg::range const& r : dimensions)
    ranges.push_back({json_object{{"start", text(r.begin)},
                                  {"end", text(r.end)},
                                  {"step", text(r.step)},
                                  {"tile", text("1")}}});
  return {json_object{{"type", text("Range")}, {"ranges", {std::move(ranges)}}}};
}

json_value memlet(sdfg::memlet const& m) {
  json_object attributes{{"data", m.data ? text(*m.data) : json_value{}}};
  if (m.subset) attributes.emplace_back("subset", subset(*m.subset));
  if (m.other_subset) attributes.emplace_back("other_subset", subset(*m.other_subset));
  if (m.is_data_source) attributes.emplace_back("is_data_src", truth(*m.is_data_source));
  if (!m.conflict_resolution.empty()) attributes.emplace_back("wcr", text(m.conflict_resolution));
  if (m.conflict_nonatomic) attributes.emplace_back("wcr_nonatomic", truth(true));
  if (m.dynamic) attributes.emplace_back("dynamic", truth(true));
  return {json_object{{"type", text("Memlet")}, {"attributes", {std::move(attributes)}}}};
}

/// Python text of statements; nested ones two spaces deeper.
void print(std::vector<statement> const& statements, std::string const& indent, std::string& out) {
  for (statement const& s : statements) {
    if (s.what == statement::kind::pass)
      out += indent + "pass\n";
    else if (s.what == statement::kind::expression)
      out += indent + to_text(s.value) + "\n";
    else if (s.what == statement::kind::assign)
      out += fmt::format("{}{} {}= {}\n", indent, to_text(s.target), s.augmented, to_text(s.value));
    else
      throw error(errc::unsupported, "control flow in the code of a loop cannot be written");
  }
}

json_value code(std::vector<statement> const& statements) {
  std::string out;
  print(statements, "", out);
  return code(std::move(out));
}

json_value whole(sdfg::graph const&);

json_value node(sdfg::node const& n, std::size_t id) {
  json_object attributes;
  std::string_view type;
  if (auto const* a = std::get_if<sdfg::access_node>(&n.content)) {
    type = "AccessNode";
    attributes = {{"data", text(a->data)}, {"setzero", truth(a->zero_fill)}};
  } else if (auto const* t = std::get_if<sdfg::tasklet>(&n.content)) {
    type = "Tasklet";
    attributes = {{"code", code(t->code.text, t->code.language)},
                  {"in_connectors", connectors(t->in_connectors)},
                  {"out_connectors", connectors(t->out_connectors)}};
  } else if (auto const* m = std::get_if<sdfg::map_entry>(&n.content)) {
    type = "MapEntry";
    json_list parameters;
    for (std::string const& p : m->parameters) parameters.push_back(text(p));
    attributes = {{"params", {std::move(parameters)}},
                  {"range", subset(m->ranges)},
                  {"schedule", text(sdfg::name(m->schedule))},
                  {"unroll", truth(m->unroll)},
                  {"in_connectors", connectors(m->in_connectors)},
                  {"out_connectors", connectors(m->out_connectors)}};
    if (!m->block_size.empty()) {
      json_list sizes;
      for (std::int64_t const size : m->block_size) sizes.push_back({size});
      attributes.emplace_back("gpu_block_size", json_value{std::move(sizes)});
    }
  } else if (auto const* x = std::get_if<sdfg::map_exit>(&n.content)) {
    type = "MapExit";
    attributes = {{"in_connectors", connectors(x->in_connectors)},
                  {"out_connectors", connectors(x->out_connectors)}};
  } else if (auto const* s = std::get_if<sdfg::nested_sdfg>(&n.content)) {
    type = "NestedSDFG";
    json_object mapping;
    for (auto const& [inner, outer] : s->symbol_mapping) mapping.emplace_back(inner, text(outer));
    attributes = {{"sdfg", whole(*s->body)},
                  {"symbol_mapping", {std::move(mapping)}},
                  {"in_connectors", connectors(s->in_connectors)},
                  {"out_connectors", connectors(s->out_connectors)}};
  } else {
    throw error(errc::unsupported, fmt::format("node '{}' cannot be written", n.label));
  }
  json_object result{{"type", text(type)},
                     {"label", text(n.label)},
                     {"id", number(id)},
                     {"attributes", {std::move(attributes)}}};
  if (n.scope_entry) result.emplace_back("scope_entry", number(*n.scope_entry));
  if (n.scope_exit) result.emplace_back("scope_exit", number(*n.scope_exit));
  return {std::move(result)};
}

json_value connector(std::string const& name) { return name.empty() ? json_value{} : text(name); }

json_object state(sdfg::state const& s) {
  json_list nodes, edges;
  for (std::size_t k = 0; k < s.nodes.size(); ++k) nodes.push_back(node(s.nodes[k], k));
  for (sdfg::edge const& e : s.edges)
    edges.push_back({json_object{{"type", text("MultiConnectorEdge")},
                                 {"attributes", {json_object{{"data", memlet(e.memlet)}}}},
                                 {"src", text(std::to_string(e.source))},
                                 {"dst", text(std::to_string(e.target))},
                                 {"src_connector", connector(e.source_connector)},
                                 {"dst_connector", connector(e.target_connector)}}});
  return {{"type", text("SDFGState")},
          {"attributes", {json_object{{"nosync", truth(s.nosync)}}}},
          {"nodes", {std::move(nodes)}},
          {"edges", {std::move(edges)}}};
}

void add_region(sdfg::region const&, json_object& to);

json_object content(sdfg::loop_region const& l) {
  json_object attributes{{"loop_variable", text(l.variable)},
                         {"inverted", truth(l.inverted)},
                         {"update_before_condition", truth(l.update_before_condition)}};
  if (l.condition) attributes.emplace_back("loop_condition", code(to_text(*l.condition)));
  if (!l.init.empty()) attributes.emplace_back("init_statement", code(l.init));
  if (!l.update.empty()) attributes.emplace_back("update_statement", code(l.update));
  json_object result{{"type", text("LoopRegion")}, {"attributes", {std::move(attributes)}}};
  add_region(*l.body, result);
  return result;
}

json_object named_region(std::string_view label, sdfg::region const& r) {
  json_object result{{"type", text("ControlFlowRegion")}, {"label", text(label)}};
  add_region(r, result);
  return result;
}

json_object content(sdfg::conditional_block const& c) {
  json_list branches;
  for (sdfg::conditional_branch const& branch : c.branches)
    branches.push_back(
        {json_list{branch.condition ? code(to_text(*branch.condition)) : json_value{},
                   {named_region("branch", *branch.body)}}});
  return {{"type", text("ConditionalBlock")}, {"branches", {std::move(branches)}}};
}

json_object content(sdfg::jump kind) {
  constexpr std::string_view types[] = {"BreakBlock", "ContinueBlock", "ReturnBlock"};
  return {{"type", text(types[static_cast<std::size_t>(kind)])}};
}

json_value block(sdfg::block const& b, std::size_t id) {
  json_object result;
  if (auto const* s = std::get_if<sdfg::state>(&b.content))
    result = state(*s);
  else if (auto const* l = std::get_if<sdfg::loop_region>(&b.content))
    result = content(*l);
  else if (auto const* c = std::get_if<sdfg::conditional_block>(&b.content))
    result = content(*c);
  else if (auto const* r = std::get_if<sdfg::plain_region>(&b.content))
    return {named_region(b.label, *r->body)};
  else
    result = content(std::get<sdfg::jump>(b.content));
  result.emplace_back("label", text(b.label));
  result.emplace_back("id", number(id));
  return {std::move(result)};
}

void add_region(sdfg::region const& r, json_object& to) {
  json_list nodes, edges;
  for (std::size_t k = 0; k < r.blocks.size(); ++k) nodes.push_back(block(r.blocks[k], k));
  for (sdfg::interstate_edge const& e : r.edges) {
    json_object assignments;
    for (auto const& [name, value] : e.assignments) assignments.emplace_back(name, text(value));
    json_object attributes{{"assignments", {std::move(assignments)}},
                           {"condition", code(e.condition ? to_text(*e.condition) : "1")}};
    json_object data{{"type", text("InterstateEdge")}, {"attributes", {std::move(attributes)}}};
    edges.push_back({json_object{{"type", text("Edge")},
                                 {"attributes", {json_object{{"data", {std::move(data)}}}}},
                                 {"src", text(std::to_string(e.source))},
                                 {"dst", text(std::to_string(e.target))}}});
  }
  to.emplace_back("nodes", json_value{std::move(nodes)});
  to.emplace_back("edges", json_value{std::move(edges)});
  to.emplace_back("start_block", number(r.start));
}

json_object graph(sdfg::graph const& g) {
  if (!g.constants.empty()) throw error(errc::unsupported, "constants cannot be written");
  json_object arrays, symbols;
  for (auto const& [name, d] : g.arrays) arrays.emplace_back(name, descriptor(d));
  for (auto const& [symbol, type] : g.symbols) symbols.emplace_back(symbol, text(name(type)));
  json_object result{{"type", text("SDFG")},
                     {"attributes",
                      {json_object{{"name", text(g.name)},
                                   {"_arrays", {std::move(arrays)}},
                                   {"symbols", {std::move(symbols)}}}}},
                     {"cfg_list_id", number(static_cast<std::size_t>(g.id))}};
  add_region(g.root, result);
  return result;
}

json_value whole(sdfg::graph const& g) { return {graph(g)}; }

} // namespace

std::string to_file_text(sdfg::graph const& g) {
  json_object root = graph(g);
  root.emplace_back("dace_version", text("1.0.0"));
  return sdfg::json_text({std::move(root)}) + "\n";
}

} // namespace assay::fuzz
