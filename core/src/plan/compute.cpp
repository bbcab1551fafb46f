#include "plan/compute.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "assay/error.hpp"
#include "plan/assigned_symbols.hpp"
#include "plan/dataflow.hpp"
#include "plan/references.hpp"
#include "plan/thread_blocks.hpp"
#include "plan/vendor_names.hpp"
#include "plan/views.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

using sdfg::descriptor_kind;

/// The names that statements assign: locals of a tasklet, loop variables, symbols.
void collect_assigned(std::vector<statement> const& code, std::set<std::string>& names) {
  for (auto const& line : code) {
    if (line.target->kind == expression_kind::name &&
        (line.what == statement::kind::assign || line.what == statement::kind::for_range))
      names.insert(line.target->text);
    collect_assigned(line.body, names);
    collect_assigned(line.otherwise, names);
  }
}

bool subscripts_name(expression const& e, std::string const& name) {
  if (e->kind == expression_kind::subscript && e->arguments[0]->kind == expression_kind::name &&
      e->arguments[0]->text == name)
    return true;
  return std::ranges::any_of(e->arguments,
                             [&](expression const& inner) { return subscripts_name(inner, name); });
}

bool subscripts_name(std::vector<statement> const& code, std::string const& name) {
  return std::ranges::any_of(code, [&](statement const& line) {
    return subscripts_name(line.target, name) || subscripts_name(line.value, name) ||
           subscripts_name(line.body, name) || subscripts_name(line.otherwise, name);
  });
}

void rename(std::vector<statement>& code, std::string const& from, std::string const& to) {
  auto const renamed = [&](expression const& e) {
    return substituted(e, [&](std::string const& name) -> std::optional<expression> {
      if (name == from) return expression::name(to);
      return std::nullopt;
    });
  };
  for (auto& line : code) {
    line.target = renamed(line.target);
    line.value = renamed(line.value);
    for (auto& bound : line.range) bound = renamed(bound);
    rename(line.body, from, to);
    rename(line.otherwise, from, to);
  }
}

} // namespace

expression read_expression(environment const& env, expression const& e, std::string const& place) {
  auto const element = [](binding const& b, expression const& offset) {
    if (b.is_value) return expression::name(b.variable);
    return expression::subscript(expression::name(b.variable), {offset});
  };
  if (e->kind == expression_kind::name) {
    if (auto const found = env.symbols.find(e->text); found != env.symbols.end()) return found->second;
    if (auto const found = env.containers.find(e->text); found != env.containers.end())
      return element(found->second, found->second.offset);
    return e;
  }
  if (e->kind == expression_kind::subscript && e->arguments[0]->kind == expression_kind::name) {
    if (auto const found = env.containers.find(e->arguments[0]->text); found != env.containers.end()) {
      auto const& b = found->second;
      std::size_t const rank = std::max<std::size_t>(1, b.descriptor->shape.size());
      if (e->arguments.size() != rank + 1)
        throw error(errc::unsupported,
                    "container '" + e->arguments[0]->text + "' of rank " + std::to_string(rank) +
                        " read with " + std::to_string(e->arguments.size() - 1) + " indices",
                    place);
      expression sum = b.offset;
      auto const strides = strides_of(env, b);
      for (std::size_t k = 0; k < rank; ++k) {
        // An index is code, not symbolic text: it may read containers itself.
        expression position = read_expression(env, e->arguments[k + 1], place);
        if (k < b.descriptor->offset.size()) position = position + env.resolve(b.descriptor->offset[k]);
        sum = sum + position * strides[k];
      }
      return element(b, simplified(sum));
    }
  }
  if (e->arguments.empty()) return e;
  expression::node copy = *e;
  for (auto& argument : copy.arguments) argument = read_expression(env, argument, place);
  return expression::make(std::move(copy));
}

std::vector<statement> read_statements(environment const& env, std::vector<statement> code,
                                       std::set<std::string> const& local, std::string const& place) {
  // Few statements have names of their own that hide others, and environments are large.
  std::optional<environment> narrowed;
  for (auto const& name : local) {
    if (!env.symbols.contains(name) && !env.containers.contains(name)) continue;
    if (!narrowed) narrowed = env;
    narrowed->symbols.erase(name);
    narrowed->containers.erase(name);
  }
  environment const& visible = narrowed ? *narrowed : env;
  for (auto& line : code) {
    line.target = read_expression(visible, line.target, place);
    line.value = read_expression(visible, line.value, place);
    for (auto& bound : line.range) bound = read_expression(visible, bound, place);
    line.body = read_statements(env, std::move(line.body), local, place);
    line.otherwise = read_statements(env, std::move(line.otherwise), local, place);
  }
  return code;
}

location compute_lowering::location_of(environment const& env, std::string const& container,
                                       sdfg::subset const& where, std::string const& place) const {
  auto const found = env.containers.find(container);
  if (found == env.containers.end())
    throw error(errc::unsupported, "container '" + container + "' is not available to this code", place);
  return {found->second.variable, found->second.is_value, element_offset(env, found->second, where)};
}

void compute_lowering::declare(environment& env, std::string const& container,
                               std::set<std::string> const& late, compute_block& out) {
  auto const* d = env.graph->find(container);
  ASSAY_ASSERT(d != nullptr);
  if (d->kind == descriptor_kind::view) return; // bound to what it shows
  if (d->kind == descriptor_kind::reference) return; // what it stands for comes first
  binding b;
  b.variable = names_.fresh(container);
  b.descriptor = d;
  declare_local local{b.variable, d->type, std::nullopt, false, false};
  // What a block shares, by the rule of the format: arrays where nothing is written about them.
  local.shared = b.is_shared =
      for_block_ && (d->storage == sdfg::storage::gpu_shared ||
                     (d->storage == sdfg::storage::automatic && d->kind == descriptor_kind::array));
  if (d->kind == descriptor_kind::scalar) {
    b.is_value = true;
  } else {
    expression const count = simplified(env.resolve(d->total_size));
    // The size must be known where the array is declared, and one for all threads that share it.
    bool const is_late = std::ranges::any_of(
        free_names(d->total_size), [&](std::string const& name) { return late.contains(name); });
    if (count->kind != expression_kind::integer && (local.shared || is_late))
      throw error(errc::unsupported,
                  "container '" + container + "' inside a kernel has a size that is not constant", d->place);
    local.element_count = count;
  }
  out.push_back({local});
  env.containers[container] = b;
}

/// Declares the local containers whose innermost common scope in this state is `entry`.
void compute_lowering::declare_locals(environment& env, sdfg::state const& s,
                                      std::optional<std::size_t> entry, compute_block& out) {
  std::map<std::string, std::vector<std::size_t>> common;
  auto const meet = [&](std::string const& container, std::size_t n) {
    if (env.containers.contains(container)) return;
    auto chain = scope_chain(s, n);
    auto const [found, is_new] = common.try_emplace(container, chain);
    if (is_new) return;
    auto& shared = found->second;
    auto const mismatch = std::ranges::mismatch(shared, chain);
    shared.erase(mismatch.in1, shared.end());
  };
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    if (auto const* access = std::get_if<sdfg::access_node>(&s.nodes[n].content)) meet(access->data, n);
  // Older files hand a value from tasklet to tasklet without an access node.
  for (auto const& edge : s.edges)
    if (edge.memlet.data && std::holds_alternative<sdfg::tasklet>(s.nodes[edge.source].content) &&
        std::holds_alternative<sdfg::tasklet>(s.nodes[edge.target].content) &&
        env.graph->find(*edge.memlet.data) != nullptr)
      meet(*edge.memlet.data, edge.source);
  for (auto const& [container, chain] : common) {
    std::optional<std::size_t> const innermost = chain.empty() ? std::nullopt : std::optional(chain.back());
    if (innermost == entry) declare(env, container, {}, out);
  }
  for (auto const& [container, chain] : common) {
    std::optional<std::size_t> const innermost = chain.empty() ? std::nullopt : std::optional(chain.back());
    if (innermost == entry && !env.containers.contains(container) &&
        env.graph->find(container)->kind == descriptor_kind::reference)
      declare_reference(env, container, out);
  }
  bind_views(env, s, entry);
}

compute_block compute_lowering::scope(environment env, sdfg::state const& s, std::size_t entry,
                                      std::string const& place) {
  compute_block out;
  declare_locals(env, s, entry, out);
  lower_nodes(env, s, entry, place, out);
  return out;
}

compute_block compute_lowering::node(environment const& env, sdfg::state const& s, std::size_t n) {
  compute_block out;
  if (std::holds_alternative<sdfg::tasklet>(s.nodes[n].content))
    lower_tasklet(env, s, n, out);
  else
    lower_nested(env, s, n, out);
  return out;
}

compute_block compute_lowering::loops(environment env, sdfg::state const& s, std::size_t entry,
                                      std::string const& place) {
  auto const& map = std::get<sdfg::map_entry>(s.nodes[entry].content);
  bool const over_threads =
      map.schedule == sdfg::schedule::gpu_thread_block ||
      (map.schedule == sdfg::schedule::automatic && !has_thread_block_maps(s, entry));
  if (for_block_ && over_threads) return thread_loops(std::move(env), s, entry, place);
  compute_block out;
  read_dynamic_inputs(env, s, entry, out);
  std::vector<for_range> nest;
  for (std::size_t k = 0; k < map.parameters.size(); ++k) {
    auto const range = env.resolve(map.ranges[k]);
    std::string const name = names_.fresh(map.parameters[k]);
    nest.push_back({name, range, map.unroll, {}});
    env.symbols.insert_or_assign(map.parameters[k], expression::name(name));
    env.containers.erase(map.parameters[k]);
  }
  compute_block body = scope(std::move(env), s, entry, place);
  for (std::size_t k = nest.size(); k-- > 0;) {
    nest[k].body = std::move(body);
    body = {};
    body.push_back({std::move(nest[k])});
  }
  if (out.empty()) return body;
  for (auto& line : body) out.push_back(std::move(line));
  compute_block scoped;
  scoped.push_back({compute_scope{std::move(out)}});
  return scoped;
}

/// Values that become symbols of a map's range and body.
void compute_lowering::read_dynamic_inputs(environment& env, sdfg::state const& s, std::size_t entry,
                                           compute_block& out) {
  std::vector<std::pair<std::string, expression>> symbols;
  for (auto const& edge : s.edges) {
    auto const& name = edge.target_connector;
    if (edge.target != entry || name.empty() || name.starts_with("IN_") || !edge.memlet.data) continue;
    auto const found = env.containers.find(*edge.memlet.data);
    if (found == env.containers.end())
      throw error(errc::unsupported, "container '" + *edge.memlet.data + "' is not available to this code",
                  edge.place);
    auto const& b = found->second;
    auto const from = location_of(env, *edge.memlet.data,
                                  edge.memlet.subset.value_or(whole(*b.descriptor)), edge.place);
    auto const variable = names_.fresh(name);
    out.push_back({declare_symbol{variable, b.descriptor->type}});
    out.push_back({assign_symbols{{{variable, from.is_value ? expression::name(from.variable)
                                                            : expression::subscript(
                                                                  expression::name(from.variable),
                                                                  {from.offset})}}}});
    symbols.emplace_back(name, expression::name(variable));
  }
  for (auto const& [name, value] : symbols) {
    env.symbols.insert_or_assign(name, value);
    env.containers.erase(name);
  }
}

void compute_lowering::lower_nodes(environment& env, sdfg::state const& s, std::optional<std::size_t> entry,
                                   std::string const& place, compute_block& out) {
  for (std::size_t const n : scope_order(s, entry, place)) {
    std::visit(overloaded{[&](sdfg::access_node const&) { lower_access(env, s, n, out); },
                          [&](sdfg::tasklet const&) { lower_tasklet(env, s, n, out); },
                          [&](sdfg::nested_sdfg const&) { lower_nested(env, s, n, out); },
                          [&](sdfg::map_entry const&) {
                            for (auto& line : loops(env, s, n, s.nodes[n].place))
                              out.push_back(std::move(line));
                          },
                          [&](sdfg::map_exit const&) {},
                          [&](sdfg::opaque_node const& node) {
                            throw error(errc::unsupported, "node of type " + node.type, s.nodes[n].place);
                          }},
               s.nodes[n].content);
  }
}

/// Copies into the node from other containers, then copies out of it through a scope's exit: the order of the
/// edges in the file says nothing.
void compute_lowering::lower_access(environment const& env, sdfg::state const& s, std::size_t n,
                                    compute_block& out) {
  for (bool const entering : {true, false})
    for (std::size_t e = 0; e < s.edges.size(); ++e) {
      auto const& edge = s.edges[e];
      if (!edge.memlet.data || (entering ? edge.target : edge.source) != n) continue;
      if (is_view_edge(*env.graph, s, e)) continue;
      if (is_set_edge(*env.graph, s, e)) {
        if (entering) set_reference(env, s, e, out);
        continue;
      }
      // A copy that starts inside an inner scope is made there, next to its source.
      auto const is_exit = [&](std::size_t node) {
        return std::holds_alternative<sdfg::map_exit>(s.nodes[node].content);
      };
      bool const is_made_here =
          entering ? !is_exit(edge.source) &&
                         std::holds_alternative<sdfg::access_node>(s.nodes[path_source(s, e)].content)
                   : is_exit(edge.target);
      if (is_made_here) lower_copy(env, s, e, out);
    }
}

void compute_lowering::lower_copy(environment const& env, sdfg::state const& s, std::size_t e,
                                  compute_block& out) {
  auto const& edge = s.edges[e];
  auto const data_at = [&](std::size_t node) {
    return std::get<sdfg::access_node>(s.nodes[node].content).data;
  };
  std::string const source = data_at(path_source(s, e));
  std::string const target = data_at(path_target(s, e));
  auto const bound = [&](std::string const& name) -> binding const& {
    auto const found = env.containers.find(name);
    if (found == env.containers.end())
      throw error(errc::unsupported, "container '" + name + "' is not available to this code", edge.place);
    return found->second;
  };
  binding const& from = bound(source);
  binding const& to = bound(target);
  auto const& m = edge.memlet;
  bool const is_source = source == target ? m.is_data_source.value_or(true) : *m.data == source;
  sdfg::subset const given = m.subset.value_or(whole(is_source ? *from.descriptor : *to.descriptor));
  binding const& other = is_source ? to : from;
  sdfg::subset other_given;
  if (m.other_subset) {
    other_given = *m.other_subset;
  } else { // the same shape from the other container's first element, or all of it where ranks differ
    other_given = whole(*other.descriptor);
    if (other_given.size() == given.size())
      for (std::size_t k = 0; k < given.size(); ++k)
        other_given[k].end = simplified(given[k].end - given[k].begin);
  }
  auto const& source_subset = is_source ? given : other_given;
  auto const& target_subset = is_source ? other_given : given;
  compute_copy copy;
  copy.type = to.descriptor->type;
  copy.source = {from.variable, from.is_value, element_offset(env, from, source_subset)};
  copy.target = {to.variable, to.is_value, element_offset(env, to, target_subset)};
  copy.dimensions = pair_dimensions(
      counts_of(env, source_subset), strides_of(env, from, source_subset),
      counts_of(env, target_subset), strides_of(env, to, target_subset), edge.place);
  copy.by_block = for_block_ && to.is_shared;
  if (!m.conflict_resolution.empty())
    copy.resolution = parse_resolution(m.conflict_resolution,
                                       to.is_shared && parallel_ && !m.conflict_nonatomic, edge.place);
  out.push_back({std::move(copy)});
}

void compute_lowering::lower_tasklet(environment const& env, sdfg::state const& s, std::size_t n,
                                     compute_block& out) {
  auto const& node = s.nodes[n];
  auto const& source = std::get<sdfg::tasklet>(node.content);
  tasklet result;
  result.label = node.label;
  result.language = source.code.language;
  std::vector<statement> code;
  if (source.code.language == sdfg::language::python)
    code = parse_python_code(source.code.text);
  else
    result.cpp = source.code.text;

  auto const connect = [&](sdfg::edge const& edge, std::string const& name, bool output) {
    auto const& m = edge.memlet;
    if (!m.data)
      throw error(errc::unsupported, "tasklet '" + node.label + "' exchanges '" + name +
                                         "' with other code without a container",
                  edge.place);
    auto const found = env.containers.find(*m.data);
    if (found == env.containers.end())
      throw error(errc::unsupported, "container '" + *m.data + "' is not available to this code",
                  edge.place);
    binding const& b = found->second;
    sdfg::subset const where = m.subset.value_or(whole(*b.descriptor));
    connector c;
    c.name = name;
    c.type = b.descriptor->type;
    c.location = {b.variable, b.is_value, element_offset(env, b, where)};
    auto const counts = counts_of(env, where);
    bool const single = std::ranges::all_of(counts, [](expression const& k) { return k.is_integer(1); });
    // Code that queues work of the vendor's gives its calls addresses of device memory.
    bool const queues = source.code.language == sdfg::language::cpp && !b.is_value &&
                        source.code.text.find(current_stream_name) != std::string::npos;
    c.is_pointer = !single || queues || subscripts_name(code, name);
    if (c.is_pointer) {
      c.strides = strides_of(env, b);
      for (auto const& count : counts) c.unit.push_back(count.is_integer(1));
    }
    if (output && !m.conflict_resolution.empty())
      c.resolution = parse_resolution(m.conflict_resolution,
                                      b.is_shared && parallel_ && !m.conflict_nonatomic, edge.place);
    c.by_one_thread = output && for_block_ && b.is_shared;
    return c;
  };
  for (auto const& edge : s.edges) {
    if (edge.target == n && !edge.target_connector.empty())
      result.inputs.push_back(connect(edge, edge.target_connector, false));
    if (edge.source == n && !edge.source_connector.empty())
      result.outputs.push_back(connect(edge, edge.source_connector, true));
  }
  std::ranges::sort(result.inputs, {}, &connector::name);
  std::ranges::sort(result.outputs, {}, &connector::name);

  std::set<std::string> local;
  for (auto const& c : result.inputs) local.insert(c.name);
  for (auto const& c : result.outputs) local.insert(c.name);
  collect_assigned(code, local);
  code = read_statements(env, std::move(code), local, node.place);

  // A local name must not hide a variable that this tasklet reaches by the same name.
  std::set<std::string> outer;
  for (auto* side : {&result.inputs, &result.outputs})
    for (auto const& c : *side) {
      outer.insert(c.location.variable);
      for (auto const& name : free_names(c.location.offset)) outer.insert(name);
      for (auto const& stride : c.strides)
        for (auto const& name : free_names(stride)) outer.insert(name);
    }
  for (auto const& [name, value] : env.symbols)
    for (auto const& used : free_names(value)) outer.insert(used);
  for (auto const& name : local) {
    if (!outer.contains(name)) continue;
    if (result.language == sdfg::language::cpp)
      throw error(errc::unsupported,
                  "connector '" + name + "' of C++ tasklet '" + node.label + "' hides a symbol of its memlets",
                  node.place);
    std::string const other = names_.fresh(name);
    rename(code, name, other);
    for (auto* side : {&result.inputs, &result.outputs})
      for (auto& c : *side)
        if (c.name == name) c.name = other;
  }
  result.python = std::move(code);
  auto const by_one = [](connector const& c) { return c.by_one_thread; };
  // Code that knows of its threads is left to them.
  if (source.code.language == sdfg::language::cpp && names_threads(source.code.text))
    for (auto& c : result.outputs) c.by_one_thread = false;
  if (!result.outputs.empty() && std::ranges::all_of(result.outputs, by_one)) {
    for (auto& c : result.outputs) c.by_one_thread = false;
    one_thread once;
    once.body.push_back({std::move(result)});
    out.push_back({std::move(once)});
    return;
  }
  for (auto const& c : result.outputs)
    if (c.by_one_thread && c.is_pointer)
      throw error(errc::unsupported,
                  "tasklet '" + node.label + "' outside the map over a block's threads writes '" + c.name +
                      "', an array that they share, beside values of their own",
                  node.place);
  out.push_back({std::move(result)});
}

void compute_lowering::lower_nested(environment const& env, sdfg::state const& s, std::size_t n,
                                    compute_block& out) {
  auto const& nested = std::get<sdfg::nested_sdfg>(s.nodes[n].content);
  auto const& graph = *nested.body;
  compute_scope scope;
  environment inner;
  inner.graph = &graph;
  inner.containers = constants_of(env);
  inner.symbols = env.symbols; // names that are not mapped mean what they mean outside
  for (auto const& [name, type] : graph.symbols) inner.symbols.erase(name);
  for (auto const& [name, descriptor] : graph.arrays) inner.symbols.erase(name);
  for (auto const& [name, value] : nested.symbol_mapping)
    inner.symbols.insert_or_assign(name, env.resolve(value));
  for (auto const& [name, type] : graph.symbols)
    if (!inner.symbols.contains(name))
      if (auto const found = env.symbols.find(name); found != env.symbols.end())
        inner.symbols.emplace(name, found->second);

  std::set<std::string> written;
  for (auto const& edge : s.edges)
    if (edge.source == n && !edge.source_connector.empty()) written.insert(edge.source_connector);
  for (auto const& edge : s.edges) {
    bool const in = edge.target == n, result = edge.source == n;
    std::string const& name = in ? edge.target_connector : edge.source_connector;
    if ((!in && !result) || name.empty() || inner.containers.contains(name)) continue;
    if (!edge.memlet.data)
      throw error(errc::unsupported, "nested SDFG connector '" + name + "' without a container", edge.place);
    auto const* d = graph.find(name);
    ASSAY_ASSERT(d != nullptr); // verified
    auto const outer = env.containers.find(*edge.memlet.data);
    if (outer == env.containers.end())
      throw error(errc::unsupported, "container '" + *edge.memlet.data + "' is not available to this code",
                  edge.place);
    sdfg::subset const where = edge.memlet.subset.value_or(whole(*outer->second.descriptor));
    location const base = location_of(env, *edge.memlet.data, where, edge.place);
    binding b;
    b.variable = names_.fresh(name);
    b.descriptor = d;
    b.is_shared = outer->second.is_shared;
    b.is_value = d->kind == descriptor_kind::scalar;
    bool const is_const = !written.contains(name);
    if (b.is_value)
      scope.body.push_back({let_reference{b.variable, d->type, is_const, base}});
    else
      scope.body.push_back({let_pointer{b.variable, d->type, is_const, base}});
    inner.containers[name] = b;
  }

  // Everything that more than one scope may see lives as long as the call of the nested SDFG.
  auto const assigned = assigned_symbols(graph.root);
  std::function<void(sdfg::region const&)> const declare_all = [&](sdfg::region const& r) {
    for (auto const& block : r.blocks)
      std::visit(overloaded{[&](sdfg::state const& state) {
                              for (auto const& node : state.nodes)
                                if (auto const* access = std::get_if<sdfg::access_node>(&node.content);
                                    access != nullptr && !node.scope_entry &&
                                    !inner.containers.contains(access->data))
                                  declare(inner, access->data, assigned, scope.body);
                            },
                            [&](sdfg::loop_region const& x) { declare_all(*x.body); },
                            [&](sdfg::conditional_block const& x) {
                              for (auto const& branch : x.branches) declare_all(*branch.body);
                            },
                            [&](sdfg::plain_region const& x) { declare_all(*x.body); },
                            [](sdfg::jump) {}},
                 block.content);
  };
  declare_all(graph.root);
  for (auto const& [name, descriptor] : graph.arrays)
    if (descriptor.kind == descriptor_kind::reference && !inner.containers.contains(name) &&
        is_at_top_level(graph.root, name))
      declare_reference(inner, name, scope.body);

  // Symbols that the nested SDFG assigns are variables of their own.
  for (auto const& [name, type] : types_of_assigned(graph)) {
    std::string const variable = names_.fresh(name);
    scope.body.push_back({declare_symbol{variable, type}});
    if (auto const mapped = inner.symbols.find(name); mapped != inner.symbols.end())
      scope.body.push_back({assign_symbols{{{variable, mapped->second}}}});
    inner.symbols.insert_or_assign(name, expression::name(variable));
  }
  lower_region(inner, graph.root, s.nodes[n].place, scope.body);
  out.push_back({std::move(scope)});
}

void compute_lowering::lower_region(environment& env, sdfg::region const& region, std::string const& place,
                                    compute_block& out) {
  compute_block* current = &out;
  for (auto const& item : sequence_of(region, place)) {
    if (item.via != nullptr) {
      if (item.via->condition) {
        // The rest of the region runs only where the edge is taken.
        compute_branch guard;
        guard.branches.emplace_back(read_expression(env, *item.via->condition, item.via->place),
                                    compute_block{});
        current->push_back({std::move(guard)});
        current = &std::get<compute_branch>(current->back().content).branches.front().second;
      }
      assign_symbols assignments;
      for (auto const& [name, value] : item.via->assignments)
        assignments.assignments.emplace_back(to_text(env.symbols.at(name)),
                                             read_expression(env, value, item.via->place));
      if (!assignments.assignments.empty()) current->push_back({std::move(assignments)});
    }
    auto const& block = *item.block;
    std::visit(
        overloaded{[&](sdfg::state const& s) {
                     environment inside = env;
                     declare_locals(inside, s, std::nullopt, *current);
                     lower_nodes(inside, s, std::nullopt, block.place, *current);
                   },
                   [&](sdfg::loop_region const& x) {
                     compute_loop repeat;
                     repeat.init = read_statements(env, x.init, {}, block.place);
                     repeat.update = read_statements(env, x.update, {}, block.place);
                     if (x.condition) repeat.condition = read_expression(env, *x.condition, block.place);
                     repeat.inverted = x.inverted;
                     repeat.update_before_condition = x.update_before_condition;
                     lower_region(env, *x.body, block.place, repeat.body);
                     current->push_back({std::move(repeat)});
                   },
                   [&](sdfg::conditional_block const& x) {
                     compute_branch choice;
                     for (auto const& branch : x.branches) {
                       choice.branches.emplace_back(std::nullopt, compute_block{});
                       if (branch.condition)
                         choice.branches.back().first =
                             read_expression(env, *branch.condition, block.place);
                       lower_region(env, *branch.body, block.place, choice.branches.back().second);
                     }
                     current->push_back({std::move(choice)});
                   },
                   [&](sdfg::plain_region const& x) { lower_region(env, *x.body, block.place, *current); },
                   [&](sdfg::jump kind) {
                     if (kind == sdfg::jump::return_program)
                       throw error(errc::unsupported, "return from a nested SDFG inside a kernel",
                                   block.place);
                     current->push_back({compute_jump{kind}});
                   }},
        block.content);
  }
}

} // namespace assay::plan
