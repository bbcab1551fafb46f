#include "assay/error.hpp"
#include "assay/sdfg.hpp"
#include "sdfg/identifier.hpp"
#include "sdfg/parse.hpp"
#include "sdfg/used_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace assay::sdfg {
namespace {

using name_set = std::set<std::string>;

[[noreturn]] void fail(std::string const& place, std::string const& message,
                       errc code = errc::invalid_input) {
  throw error(code, message, place);
}

void check_name(std::string_view what, std::string const& name, std::string const& place) {
  if (!is_identifier(name))
    fail(place, fmt::format("{} '{}' is no C++ identifier", what, printable(name)));
}

/// Names that a graph defines for itself: on edges and as loop variables.
void collect_assigned(region const& r, name_set& names) {
  for (auto const& e : r.edges)
    for (auto const& assignment : e.assignments) names.insert(assignment.first);
  for (auto const& b : r.blocks) {
    if (auto const* loop = std::get_if<loop_region>(&b.content)) {
      if (!loop->variable.empty()) names.insert(loop->variable);
      for (auto const* code : {&loop->init, &loop->update})
        for (auto const& s : *code)
          if (s.what == statement::kind::assign && s.target->kind == expression_kind::name)
            names.insert(s.target->text);
      collect_assigned(*loop->body, names);
    } else if (auto const* choice = std::get_if<conditional_block>(&b.content)) {
      for (auto const& branch : choice->branches) collect_assigned(*branch.body, names);
    } else if (auto const* plain = std::get_if<plain_region>(&b.content)) {
      collect_assigned(*plain->body, names);
    }
  }
}

bool is_entry(node const& n) { return std::holds_alternative<map_entry>(n.content); }

bool is_exit(node const& n) { return std::holds_alternative<map_exit>(n.content); }

std::string quoted(node const& n) {
  auto const* access = std::get_if<access_node>(&n.content);
  return fmt::format("'{}'", printable(access != nullptr ? access->data : n.label));
}

struct connector_lists {
  std::vector<std::string> const *in = nullptr, *out = nullptr; // null: the node takes any
};

connector_lists connectors_of(node const& n) {
  return std::visit(
      [](auto const& content) -> connector_lists {
        if constexpr (requires { content.in_connectors; })
          return {&content.in_connectors, &content.out_connectors};
        else
          return {};
      },
      n.content);
}

bool contains(std::vector<std::string> const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One SDFG; nested ones get a checker of their own.
class checker {
public:
  checker(graph const& g, name_set mapped) : g_(g), defined_(std::move(mapped)) {
    for (auto const& entry : g.symbols) defined_.insert(entry.first);
    for (auto const& entry : g.constants) defined_.insert(entry.first);
    collect_assigned(g.root, defined_);
  }

  void run() {
    check_name("SDFG name", g_.name, g_.place);
    for (auto const& entry : g_.symbols) check_name("symbol name", entry.first, g_.place);
    for (auto const& entry : g_.constants) check_name("constant name", entry.first, g_.place);
    name_set seen;
    for (auto const& [name, d] : g_.arrays) {
      check_name("container name", name, d.place);
      if (!seen.insert(name).second)
        fail(d.place, fmt::format("container '{}' exists twice", name));
      if (g_.symbols.contains(name))
        fail(d.place, fmt::format("'{}' is a container and a symbol", name));
      check(name, d);
    }
    check(g_.root, /*inside_loop=*/false);
  }

private:
  graph const& g_;
  name_set defined_;
  state const* state_ = nullptr; // the one being checked

  // ---- symbols ----------------------------------------------------------------------------------

  void check_symbols(expression const& e, std::string_view what, std::string const& place) const {
    for (auto const& name : free_names_of(e))
      if (!defined_.contains(name)) undefined(what, name, place);
  }

  [[noreturn]] static void undefined(std::string_view what, std::string const& name,
                                     std::string const& place) {
    fail(place, fmt::format("{} uses the undefined symbol '{}'", what, printable(name)));
  }

  static name_set free_names_of(expression const& e) { return assay::free_names(e); }

  /// Symbols of a state: also the parameters and dynamic inputs of the maps around.
  [[nodiscard]] bool is_defined(std::string const& name, std::optional<std::size_t> scope) const {
    if (defined_.contains(name)) return true;
    for (; scope; scope = state_->nodes[*scope].scope_entry) {
      auto const* map = std::get_if<map_entry>(&state_->nodes[*scope].content);
      if (map == nullptr) return true; // an opaque scope defines what it likes
      if (contains(map->parameters, name)) return true;
      if (!name.starts_with("IN_") && contains(map->in_connectors, name)) return true;
    }
    return false;
  }

  void check_symbols(expression const& e, std::optional<std::size_t> scope, std::string_view what,
                     std::string const& place) const {
    for (auto const& name : free_names_of(e))
      if (!is_defined(name, scope)) undefined(what, name, place);
  }

  void check_symbols(subset const& s, std::optional<std::size_t> scope, std::string_view what,
                     std::string const& place) const {
    for (auto const& r : s) {
      check_symbols(r.begin, scope, what, place);
      check_symbols(r.end, scope, what, place);
      check_symbols(r.step, scope, what, place);
      if (r.step.is_integer(0)) fail(place, fmt::format("{} has a range with step zero", what));
    }
  }

  /// Control flow may also read containers, elements of arrays by all their indices.
  void check_control(expression const& e, std::string_view what, std::string const& place) const {
    for (auto const& name : free_names_of(e))
      if (!defined_.contains(name) && g_.find(name) == nullptr) undefined(what, name, place);
    check_elements(e, what, place);
  }

  void check_elements(expression const& e, std::string_view what, std::string const& place) const {
    if (e->kind == expression_kind::subscript && e->arguments[0]->kind == expression_kind::name) {
      auto const& name = e->arguments[0]->text;
      auto const* d = g_.find(name);
      if (d != nullptr && d->shape.size() != e->arguments.size() - 1)
        fail(place, fmt::format("{} reads container '{}' of {} dimensions with {} indices", what,
                                name, d->shape.size(), e->arguments.size() - 1));
    }
    for (auto const& argument : e->arguments) check_elements(argument, what, place);
  }

  // ---- containers -------------------------------------------------------------------------------

  void check(std::string const& name, descriptor const& d) const {
    auto const what = fmt::format("container '{}'", name);
    if (d.strides.size() != d.shape.size())
      fail(d.place, fmt::format("{} has {} dimensions and {} strides", what, d.shape.size(),
                                d.strides.size()));
    if (d.offset.size() != d.shape.size())
      fail(d.place, fmt::format("{} has {} dimensions and {} offsets", what, d.shape.size(),
                                d.offset.size()));
    if (d.storage == storage::register_file &&
        (d.lifetime == lifetime::persistent || d.lifetime == lifetime::external))
      fail(d.place, fmt::format("{} is in a register and has the lifetime {}", what,
                                sdfg::name(d.lifetime)));
    for (auto const& extent : d.shape)
      if (extent->kind == expression_kind::integer && extent->integer_value < 0)
        fail(d.place, fmt::format("{} has the negative extent {}", what, extent->integer_value));
    for (auto const* list : {&d.shape, &d.strides, &d.offset})
      for (auto const& e : *list) check_symbols(e, what, d.place);
    check_symbols(d.total_size, what, d.place);
    check_symbols(d.start_offset, what, d.place);
  }

  // ---- control flow -----------------------------------------------------------------------------

  void check(region const& r, bool inside_loop) {
    for (auto const& e : r.edges) {
      if (e.source >= r.blocks.size() || e.target >= r.blocks.size())
        fail(e.place, "dangling edge between blocks");
      if (e.condition) check_control(*e.condition, "condition of an edge between blocks", e.place);
      for (auto const& [symbol, value] : e.assignments) {
        check_name("assigned symbol", symbol, e.place);
        if (g_.find(symbol) != nullptr)
          fail(e.place, fmt::format("edge between blocks assigns to the container '{}'", symbol));
        check_control(value, fmt::format("value assigned to '{}'", symbol), e.place);
      }
    }
    if (r.start >= r.blocks.size()) fail(g_.place, "region has no start block");
    for (auto const& b : r.blocks) check(b, inside_loop);
  }

  void check(block const& b, bool inside_loop) {
    if (auto const* s = std::get_if<state>(&b.content)) {
      check(*s, b);
    } else if (auto const* l = std::get_if<loop_region>(&b.content)) {
      auto const what = fmt::format("loop '{}'", printable(b.label));
      if (!l->variable.empty()) check_name("loop variable", l->variable, b.place);
      if (l->condition) check_control(*l->condition, what, b.place);
      for (auto const* code : {&l->init, &l->update})
        for (auto const& line : *code) {
          if (line.what != statement::kind::assign || line.target->kind != expression_kind::name)
            fail(b.place, fmt::format("{} may only assign to symbols in its head", what),
                 errc::unsupported);
          check_control(line.value, what, b.place);
        }
      check(*l->body, true);
    } else if (auto const* c = std::get_if<conditional_block>(&b.content)) {
      for (auto const& branch : c->branches) {
        if (!branch.condition && &branch != &c->branches.back())
          fail(b.place,
               fmt::format("conditional block '{}' has a branch after 'else'", printable(b.label)));
        if (branch.condition)
          check_control(*branch.condition,
                        fmt::format("conditional block '{}'", printable(b.label)), b.place);
        check(*branch.body, inside_loop);
      }
    } else if (auto const* p = std::get_if<plain_region>(&b.content)) {
      check(*p->body, inside_loop);
    } else if (auto const j = std::get<jump>(b.content);
               j != jump::return_program && !inside_loop) {
      fail(b.place, fmt::format("'{}' stands outside of every loop",
                                j == jump::break_loop ? "break" : "continue"));
    }
  }

  // ---- dataflow ---------------------------------------------------------------------------------

  void check(state const& s, block const& b) {
    state_ = &s;
    check_scopes();
    for (auto const& e : s.edges) check_ends(e);
    check_order(b);
    for (std::size_t i = 0; i < s.nodes.size(); ++i) {
      check_connectors(i);
      check_node(i);
    }
    for (auto const& e : s.edges) check_memlet(e);
  }

  void check_scopes() const {
    auto const& nodes = state_->nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      auto const& n = nodes[i];
      if (n.scope_entry && (*n.scope_entry >= nodes.size() || !is_entry(nodes[*n.scope_entry])))
        fail(n.place, fmt::format("scope of node {} begins at a node that is no entry", quoted(n)));
      if (is_entry(n) && !(n.scope_exit && *n.scope_exit < nodes.size() &&
                           is_exit(nodes[*n.scope_exit]) && nodes[*n.scope_exit].scope_entry == i))
        fail(n.place, fmt::format("map entry {} has no exit", quoted(n)));
      if (is_exit(n) && !(n.scope_entry && nodes[*n.scope_entry].scope_exit == i))
        fail(n.place, fmt::format("map exit {} has no entry", quoted(n)));
    }
    for (auto const& n : nodes) {
      auto scope = n.scope_entry;
      for (std::size_t steps = 0; scope; scope = nodes[*scope].scope_entry)
        if (++steps > nodes.size())
          fail(n.place, fmt::format("scope of node {} lies within itself", quoted(n)));
    }
  }

  /// The scope whose members a node's outgoing edges reach.
  [[nodiscard]] std::optional<std::size_t> scope_after(std::size_t i) const {
    auto const& n = state_->nodes[i];
    if (is_entry(n)) return i;
    if (is_exit(n)) return state_->nodes[*n.scope_entry].scope_entry;
    return n.scope_entry;
  }

  [[nodiscard]] std::string described(edge const& e) const {
    return fmt::format("edge from {} to {}", quoted(state_->nodes[e.source]),
                       quoted(state_->nodes[e.target]));
  }

  void check_ends(edge const& e) const {
    auto const& nodes = state_->nodes;
    if (e.source >= nodes.size() || e.target >= nodes.size())
      fail(e.place, "dangling edge between nodes");
    auto const &source = nodes[e.source], &target = nodes[e.target];
    if (scope_after(e.source) != target.scope_entry)
      fail(e.place, fmt::format("{} crosses the border of a scope", described(e)));
    check_end(e, source, e.source_connector, /*outgoing=*/true);
    check_end(e, target, e.target_connector, /*outgoing=*/false);
  }

  void check_end(edge const& e, node const& n, std::string const& connector, bool outgoing) const {
    if (std::holds_alternative<opaque_node>(n.content)) return;
    if (std::holds_alternative<access_node>(n.content)) {
      if (!connector.empty() && connector != "views" && connector != "set")
        fail(e.place, fmt::format("{}: access node {} has no connector '{}'", described(e),
                                  quoted(n), printable(connector)));
      return;
    }
    auto const lists = connectors_of(n);
    auto const& known = outgoing ? *lists.out : *lists.in;
    if (connector.empty()) {
      if (e.memlet.data)
        fail(e.place,
             fmt::format("{}: data '{}' {} node {} without a connector", described(e),
                         printable(*e.memlet.data), outgoing ? "leaves" : "enters", quoted(n)));
      return;
    }
    if (!contains(known, connector))
      fail(e.place, fmt::format("{}: node {} has no {}-connector '{}'", described(e), quoted(n),
                                outgoing ? "out" : "in", printable(connector)));
    if (!e.memlet.data && (std::holds_alternative<tasklet>(n.content) ||
                           std::holds_alternative<nested_sdfg>(n.content)))
      // From tasklet to tasklet DaCe hands on a value that no container holds, of a type it infers.
      fail(e.place,
           fmt::format("{}: connector '{}' of node {} carries no data", described(e),
                       printable(connector), quoted(n)),
           std::holds_alternative<tasklet>(state_->nodes[e.source].content) &&
                   std::holds_alternative<tasklet>(state_->nodes[e.target].content)
               ? errc::unsupported
               : errc::invalid_input);
  }

  /// Dataflow has a topological order.
  void check_order(block const& b) const {
    auto const count = state_->nodes.size();
    std::vector<std::size_t> waiting(count, 0), ready;
    std::vector<std::vector<std::size_t>> next(count);
    for (auto const& e : state_->edges) {
      ++waiting[e.target];
      next[e.source].push_back(e.target);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (waiting[i] == 0) ready.push_back(i);
    std::size_t done = 0;
    while (!ready.empty()) {
      auto const i = ready.back();
      ready.pop_back();
      ++done;
      for (auto const target : next[i])
        if (--waiting[target] == 0) ready.push_back(target);
    }
    if (done != count)
      fail(b.place, fmt::format("dataflow of state '{}' has a cycle", printable(b.label)));
  }

  void check_connectors(std::size_t i) const {
    auto const& n = state_->nodes[i];
    auto const lists = connectors_of(n);
    if (lists.in == nullptr) return;
    for (auto const* list : {lists.in, lists.out}) {
      name_set seen;
      for (auto const& connector : *list) {
        check_name("connector", connector, n.place);
        if (!seen.insert(connector).second)
          fail(n.place,
               fmt::format("connector '{}' of node {} exists twice", connector, quoted(n)));
      }
    }
    for (auto const& connector : *lists.in) {
      auto const edges =
          std::count_if(state_->edges.begin(), state_->edges.end(), [&](edge const& e) {
            return e.target == i && e.target_connector == connector;
          });
      // An exit gathers what several nodes of its scope write to one container.
      if (edges != 1 && !(is_exit(n) && edges > 1))
        fail(n.place, fmt::format("in-connector '{}' of node {} has {} edges, not one", connector,
                                  quoted(n), edges));
    }
    for (auto const& connector : *lists.out) {
      bool const used = std::any_of(state_->edges.begin(), state_->edges.end(), [&](edge const& e) {
        return e.source == i && e.source_connector == connector;
      });
      if (!used)
        fail(n.place,
             fmt::format("out-connector '{}' of node {} has no edge", connector, quoted(n)));
      if ((is_entry(n) || is_exit(n)) &&
          !(connector.starts_with("OUT_") && contains(*lists.in, "IN_" + connector.substr(4))))
        fail(n.place, fmt::format("out-connector '{}' of node {} has no in-connector to match",
                                  connector, quoted(n)));
    }
  }

  void check_node(std::size_t i) const {
    auto const& n = state_->nodes[i];
    if (auto const* a = std::get_if<access_node>(&n.content)) {
      if (g_.find(a->data) == nullptr)
        fail(n.place, fmt::format("access node names the container '{}', which does not exist",
                                  printable(a->data)));
    } else if (auto const* t = std::get_if<tasklet>(&n.content)) {
      check_tasklet(n, *t);
    } else if (auto const* m = std::get_if<map_entry>(&n.content)) {
      check_map(n, *m);
    } else if (auto const* inner = std::get_if<nested_sdfg>(&n.content)) {
      check_nested(n, *inner);
    }
  }

  void check_tasklet(node const& n, tasklet const& t) const {
    if (t.code.language != language::python) return;
    auto const what = fmt::format("tasklet {}", quoted(n));
    name_set names;
    try {
      names = free_names(parse_python_code(t.code.text));
    } catch (error const& failure) {
      fail(n.place, fmt::format("{}: {}", what, failure.what()), failure.code());
    }
    for (auto const& name : names)
      if (!contains(t.in_connectors, name) && !contains(t.out_connectors, name) &&
          !is_defined(name, n.scope_entry)) {
        // DaCe's reductions within a block are written against the vendors' kernels.
        if (name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim")
          fail(n.place, fmt::format("{} asks for the kernel's '{}' itself", what, name),
               errc::unsupported);
        fail(n.place, fmt::format("{} uses the undefined name '{}'", what, printable(name)));
      }
  }

  void check_map(node const& n, map_entry const& m) const {
    auto const what = fmt::format("map {}", quoted(n));
    if (m.parameters.empty()) fail(n.place, fmt::format("{} has no parameters", what));
    if (m.parameters.size() != m.ranges.size())
      fail(n.place, fmt::format("{} has {} parameters and {} ranges", what, m.parameters.size(),
                                m.ranges.size()));
    name_set seen;
    for (auto const& parameter : m.parameters) {
      check_name("map parameter", parameter, n.place);
      if (!seen.insert(parameter).second)
        fail(n.place, fmt::format("{} has the parameter '{}' twice", what, parameter));
    }
    if (m.block_size.size() > 3)
      fail(n.place, fmt::format("{} has a block of {} dimensions", what, m.block_size.size()));
    for (auto const threads : m.block_size)
      if (threads < 1) fail(n.place, fmt::format("{} has a block of {} threads", what, threads));
    for (auto const& r : m.ranges)
      for (auto const* e : {&r.begin, &r.end, &r.step})
        for (auto const& name : free_names_of(*e)) {
          // Dynamic inputs count in the map's own ranges, its parameters do not.
          bool const dynamic = !name.starts_with("IN_") && contains(m.in_connectors, name);
          if (!dynamic && !is_defined(name, n.scope_entry)) undefined(what, name, n.place);
        }
    for (auto const& r : m.ranges)
      if (r.step.is_integer(0)) fail(n.place, fmt::format("{} has a range with step zero", what));
  }

  void check_nested(node const& n, nested_sdfg const& inner) const {
    auto const what = fmt::format("nested SDFG {}", quoted(n));
    for (auto const* list : {&inner.in_connectors, &inner.out_connectors})
      for (auto const& connector : *list) {
        auto const* d = inner.body->find(connector);
        if (d == nullptr)
          fail(n.place,
               fmt::format("connector '{}' of {} names no container inside", connector, what));
        if (d->transient)
          fail(n.place, fmt::format("connector '{}' of {} names a transient", connector, what));
      }
    for (auto const& [name, d] : inner.body->arrays)
      if (!d.transient && !contains(inner.in_connectors, name) &&
          !contains(inner.out_connectors, name))
        fail(d.place, fmt::format("container '{}' of {} is no transient and has no connector",
                                  printable(name), what));
    name_set mapped;
    for (auto const& [symbol, outer] : inner.symbol_mapping) {
      check_name("mapped symbol", symbol, n.place);
      check_symbols(outer, n.scope_entry, fmt::format("value of '{}' in {}", symbol, what),
                    n.place);
      mapped.insert(symbol);
    }
    checker(*inner.body, mapped).run();
    for (auto const& name : used_symbols(*inner.body))
      if (!mapped.contains(name))
        fail(n.place,
             fmt::format("{} uses the symbol '{}', which is not mapped", what, printable(name)));
  }

  void check_memlet(edge const& e) const {
    auto const& m = e.memlet;
    if (!m.data) return;
    auto const what = fmt::format("memlet of '{}' on the {}", printable(*m.data), described(e));
    auto const* d = g_.find(*m.data);
    if (d == nullptr) fail(e.place, fmt::format("{} names a container that does not exist", what));

    auto const *source = std::get_if<access_node>(&state_->nodes[e.source].content),
               *target = std::get_if<access_node>(&state_->nodes[e.target].content);
    bool const passes_scope = is_entry(state_->nodes[e.source]) ||
                              is_exit(state_->nodes[e.source]) ||
                              is_entry(state_->nodes[e.target]) || is_exit(state_->nodes[e.target]);
    bool const names_an_end = (source != nullptr && source->data == *m.data) ||
                              (target != nullptr && target->data == *m.data);
    if (!passes_scope && (source != nullptr || target != nullptr) && !names_an_end)
      fail(e.place, fmt::format("{} names neither of its ends", what));

    if (m.subset && m.subset->size() != d->shape.size())
      fail(e.place, fmt::format("{} has {} dimensions, the container has {}", what,
                                m.subset->size(), d->shape.size()));
    if (m.other_subset && source != nullptr && target != nullptr) {
      auto const& other_name = source->data == *m.data ? target->data : source->data;
      auto const* other = g_.find(other_name);
      if (other != nullptr && m.other_subset->size() != other->shape.size())
        fail(e.place,
             fmt::format("{} has {} dimensions for '{}', which has {}", what,
                         m.other_subset->size(), printable(other_name), other->shape.size()));
    }
    auto const scope = scope_after(e.source);
    if (is_exit(state_->nodes[e.source]) || is_entry(state_->nodes[e.target]))
      check_bounds(m, scope, what, e.place);
    if (m.subset) check_symbols(*m.subset, scope, what, e.place);
    if (m.other_subset) check_symbols(*m.other_subset, scope, what, e.place);
  }

  /// The memlets outside a map bound what its code touches. DaCe prints nothing of them
  /// and leaves symbols of inlined SDFGs there, so such a file is one that others accept.
  void check_bounds(memlet const& m, std::optional<std::size_t> scope, std::string const& what,
                    std::string const& place) const {
    for (auto const* part : {&m.subset, &m.other_subset})
      if (*part)
        for (auto const& r : **part)
          for (auto const* e : {&r.begin, &r.end, &r.step})
            for (auto const& name : free_names_of(*e))
              if (!is_defined(name, scope))
                fail(place,
                     fmt::format("{} is bounded by the undefined symbol '{}'", what,
                                 printable(name)),
                     errc::unsupported);
  }
};

} // namespace

void verify(graph const& g) {
  checker(g, {}).run();
  for (auto const& name : used_symbols(g))
    if (!g.symbols.contains(name))
      fail(g.place, fmt::format("symbol '{}' is used before it has a value", printable(name)));
}

} // namespace assay::sdfg
