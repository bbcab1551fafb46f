#include "sdfg/used_names.hpp"

#include "assay/error.hpp"

#include <algorithm>
#include <cctype>
#include <deque>

namespace assay::sdfg {
namespace {

using name_set = std::set<std::string>;

template <typename... Functions> struct overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions> overloaded(Functions...) -> overloaded<Functions...>;

void collect(std::vector<statement> const& code, name_set& read, name_set& written) {
  for (auto const& s : code) {
    collect_free_names(s.value, read);
    if (s.what == statement::kind::assign) {
      if (s.target->kind == expression_kind::name) {
        written.insert(s.target->text);
      } else { // an element: its indices are read, its container is not
        for (std::size_t i = 1; i < s.target->arguments.size(); ++i)
          collect_free_names(s.target->arguments[i], read);
      }
    }
    if (s.what == statement::kind::for_range) written.insert(s.target->text);
    for (auto const& bound : s.range) collect_free_names(bound, read);
    collect(s.body, read, written);
    collect(s.otherwise, read, written);
  }
}

name_set const& merge(name_set& into, name_set const& from) {
  into.insert(from.begin(), from.end());
  return into;
}

void remove(name_set& from, name_set const& what) {
  for (auto const& name : what) from.erase(name);
}

name_set of(subset const& s, bool begins_only) {
  name_set names;
  for (auto const& r : s) {
    collect_free_names(r.begin, names);
    if (begins_only) continue;
    collect_free_names(r.end, names);
    collect_free_names(r.step, names);
  }
  return names;
}

/// What addressing needs (strides, offset) and, of what the program allocates, the sizes.
name_set of(descriptor const& d) {
  name_set names;
  if (d.kind != descriptor_kind::scalar) {
    for (auto const& e : d.strides) collect_free_names(e, names);
    for (auto const& e : d.offset) collect_free_names(e, names);
  }
  bool const allocated =
      d.transient && (d.kind == descriptor_kind::scalar || d.kind == descriptor_kind::array);
  if (allocated) {
    for (auto const& e : d.shape) collect_free_names(e, names);
    collect_free_names(d.total_size, names);
  }
  return names;
}

bool is_code(node const& n) {
  return !std::holds_alternative<access_node>(n.content) &&
         !std::holds_alternative<map_entry>(n.content) &&
         !std::holds_alternative<map_exit>(n.content);
}

name_set of(state const& s, graph const& g) {
  name_set used, defined;
  for (auto const& n : s.nodes)
    std::visit(
        overloaded{[&](access_node const& a) {
                     if (auto const* d = g.find(a.data)) merge(used, of(*d));
                   },
                   [&](tasklet const& t) {
                     name_set names;
                     if (t.code.language == language::python) {
                       names = free_names(parse_python_code(t.code.text));
                     } else {
                       for (auto const& word : identifiers(t.code.text))
                         if (g.symbols.contains(word)) names.insert(word);
                     }
                     for (auto const& c : t.in_connectors) names.erase(c);
                     for (auto const& c : t.out_connectors) names.erase(c);
                     merge(used, names);
                   },
                   [&](map_entry const& m) {
                     auto names = of(m.ranges, false);
                     for (auto const& c : m.in_connectors)
                       if (!c.starts_with(
                               "IN_")) { // a dynamic input: the range reads a value, not a symbol
                         names.erase(c);
                         defined.insert(c);
                       }
                     defined.insert(m.parameters.begin(), m.parameters.end());
                     merge(used, names);
                   },
                   [&](nested_sdfg const& inner_program) {
                     auto const inside = used_symbols(*inner_program.body);
                     for (auto const& [inner, outer] : inner_program.symbol_mapping)
                       if (inside.contains(inner)) collect_free_names(outer, used);
                   },
                   [](map_exit const&) {}, [](opaque_node const&) {}},
        n.content);

  for (auto const& e : s.edges) {
    auto const &source = s.nodes[e.source], &target = s.nodes[e.target];
    bool const inner_end = (std::holds_alternative<map_exit>(source.content) &&
                            e.source_connector.starts_with("OUT_")) ||
                           (std::holds_alternative<map_entry>(target.content) &&
                            e.target_connector.starts_with("IN_"));
    if (inner_end) continue; // the memlets at the leaves say the same more exactly
    // Code gets a pointer to the first element; a copy needs the whole range.
    bool const begins_only =
        is_code(source) || is_code(target) ||
        (!e.target_connector.empty() && std::holds_alternative<access_node>(target.content)) ||
        (!e.source_connector.empty() && std::holds_alternative<access_node>(source.content));
    if (e.memlet.subset) merge(used, of(*e.memlet.subset, begins_only));
    if (e.memlet.other_subset) merge(used, of(*e.memlet.other_subset, begins_only));
  }
  for (auto const& entry : g.constants) defined.insert(entry.first);
  remove(used, defined);
  return used;
}

/// Symbols that an edge reads, less those that it assigned before reading them.
name_set of(interstate_edge const& e) {
  name_set condition, read, assigned;
  if (e.condition) collect_free_names(*e.condition, condition);
  for (auto const& [symbol, value] : e.assignments) {
    collect_free_names(value, read);
    if (!condition.contains(symbol) && !read.contains(symbol)) assigned.insert(symbol);
  }
  merge(read, condition);
  remove(read, assigned);
  return read;
}

/// One pass over control flow in breadth-first order; the sets are shared by nested regions, except
/// that a loop's body starts with sets of its own. This mirrors DaCe, whose argument lists must be
/// met exactly.
struct control_flow {
  graph const& g;

  struct sets {
    name_set free, defined, used_before_assignment;
  };

  void visit(region const& r, sets& all) const {
    for (auto const index : breadth_first(r)) {
      auto const& b = r.blocks[index];
      name_set block_symbols;
      if (auto const* s = std::get_if<state>(&b.content)) {
        block_symbols = of(*s, g);
        merge(all.free, block_symbols);
      } else {
        visit(b, all);
        block_symbols = all.free;
      }
      for (auto const& e : r.edges) {
        if (e.source != index) continue;
        auto read = of(e);
        for (auto const& name : name_set(read))
          if (auto const* d = g.find(name)) merge(read, of(*d));
        for (auto const& assignment : e.assignments) {
          auto const& symbol = assignment.first;
          if (!read.contains(symbol) && !block_symbols.contains(symbol)) all.defined.insert(symbol);
        }
        for (auto const& name : read)
          if (!all.defined.contains(name)) all.used_before_assignment.insert(name);
        merge(all.free, read);
      }
    }
    remove(all.defined, all.used_before_assignment);
    remove(all.free, all.defined);
  }

  void visit(block const& b, sets& all) const {
    std::visit(overloaded{[&](loop_region const& l) { visit(l, all); },
                          [&](conditional_block const& c) {
                            for (auto const& branch : c.branches) {
                              if (branch.condition) collect_free_names(*branch.condition, all.free);
                              visit(*branch.body, all);
                            }
                            remove(all.defined, all.used_before_assignment);
                            remove(all.free, all.defined);
                          },
                          [&](plain_region const& p) { visit(*p.body, all); }, [](jump) {},
                          [](state const&) {}},
               b.content);
  }

  void visit(loop_region const& l, sets& all) const {
    if (!l.init.empty()) {
      all.defined.insert(l.variable);
      merge(all.free, free_names(l.init));
    }
    merge(all.free, free_names(l.update));
    name_set condition;
    if (l.condition) collect_free_names(*l.condition, condition);
    condition.erase(l.variable);

    sets body;
    visit(*l.body, body);
    auto outside = all.defined;
    remove(outside, all.used_before_assignment);
    body.used_before_assignment.erase(l.variable);
    remove(body.used_before_assignment, outside);
    merge(all.used_before_assignment, body.used_before_assignment);
    merge(all.free, body.free);
    merge(all.defined, body.defined);
    remove(all.defined, all.used_before_assignment);
    remove(all.free, all.defined);
    merge(all.free, condition);
  }

  static std::vector<std::size_t> breadth_first(region const& r) {
    std::vector<std::size_t> order{r.start};
    std::vector<bool> seen(r.blocks.size(), false);
    seen[r.start] = true;
    for (std::size_t at = 0; at < order.size(); ++at)
      for (auto const& e : r.edges)
        if (e.source == order[at] && !seen[e.target]) {
          seen[e.target] = true;
          order.push_back(e.target);
        }
    return order;
  }
};

} // namespace

std::set<std::string> free_names(std::vector<statement> const& code) {
  name_set read, written;
  collect(code, read, written);
  remove(read, written);
  return read;
}

void for_each_identifier(std::string_view cpp,
                         std::function<void(std::size_t at, std::string_view word)> const& visit) {
  auto const is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = 0; at < cpp.size();) {
    char const c = cpp[at];
    if (cpp.substr(at).starts_with("//")) {
      at = std::min(cpp.find('\n', at), cpp.size());
    } else if (cpp.substr(at).starts_with("/*")) {
      auto const end = cpp.find("*/", at + 2);
      at = end == std::string_view::npos ? cpp.size() : end + 2;
    } else if (c == '"' ||
               (c == '\'' && !(at > 0 && is_word(cpp[at - 1])))) { // not a digit separator
      for (++at; at < cpp.size() && cpp[at] != c; ++at)
        if (cpp[at] == '\\') ++at;
      ++at;
    } else if (is_word(c)) {
      auto end = at;
      while (end < cpp.size() && is_word(cpp[end])) ++end;
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) visit(at, cpp.substr(at, end - at));
      at = end;
    } else {
      ++at;
    }
  }
}

std::set<std::string> identifiers(std::string_view cpp) {
  name_set words;
  for_each_identifier(cpp, [&](std::size_t, std::string_view word) { words.emplace(word); });
  return words;
}

std::set<std::string> used_symbols(graph const& g) {
  control_flow::sets all;
  for (auto const& entry : g.arrays) all.defined.insert(entry.first);
  for (auto const& entry : g.constants) all.defined.insert(entry.first);
  for (auto const* code : {&g.init_code, &g.exit_code})
    for (auto const& entry : *code)
      for (auto const& word : identifiers(entry.second))
        if (g.symbols.contains(word)) all.free.insert(word);
  control_flow{g}.visit(g.root, all);
  // Accessed or not, every container counts; but not by symbols that the graph defines itself.
  for (auto const& entry : g.arrays) merge(all.free, of(entry.second));
  remove(all.free, all.defined);
  return all.free;
}

signature signature_of(graph const& g) {
  auto const free = used_symbols(g);
  signature result;
  std::map<std::string, argument> scalars;
  for (auto const& [name, d] : g.arrays) {
    if (d.transient) continue;
    if (d.kind != descriptor_kind::scalar)
      result.arguments.push_back({name, d, false});
    else if (!name.starts_with("__dace")) // reserved for values that the program makes itself
      scalars[name] = {name, d, false};
  }
  std::sort(result.arguments.begin(), result.arguments.end(),
            [](argument const& a, argument const& b) { return a.name < b.name; });
  for (auto const& name : free) {
    if (name.starts_with("__dace")) continue;
    auto const declared = g.symbols.find(name);
    if (declared == g.symbols.end())
      throw error(errc::invalid_input, "symbol '" + name + "' is used but not declared", g.place);
    descriptor d;
    d.kind = descriptor_kind::scalar;
    d.type = declared->second;
    d.shape = d.strides = {expression::integer(1)};
    d.offset = {expression::integer(0)};
    d.total_size = expression::integer(1);
    argument symbol{name, std::move(d), true};
    result.init.push_back(symbol);
    scalars[name] = std::move(symbol);
  }
  for (auto& entry : scalars) result.arguments.push_back(std::move(entry.second));
  return result;
}

} // namespace assay::sdfg
