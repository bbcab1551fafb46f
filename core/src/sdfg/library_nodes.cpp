#include "sdfg/library_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "assay/error.hpp"
#include "sdfg/contraction.hpp"

namespace assay::sdfg {
namespace {

/// One side of a library node: the container as the node's own code sees it.
struct port {
  descriptor shape; ///< of the part that the memlet gives
  std::string connector;
};

/// What surrounds a node.
struct surroundings {
  graph const& outer;
  library_nodes const& known;
  bool in_kernel = false;
};

subset whole(descriptor const& d) {
  subset result;
  for (auto const& extent : d.shape)
    result.push_back({expression::integer(0), simplified(extent - expression::integer(1))});
  return result;
}

subset element(expression_list const& indices) {
  subset result;
  for (auto const& index : indices) result.push_back({index, index});
  return result;
}

/// The container of an edge, cut to the memlet: shape and strides of the part, offset zero.
port port_of(edge const& e, surroundings const& around, std::string connector) {
  auto const* d = e.memlet.data ? around.outer.find(*e.memlet.data) : nullptr;
  if (d == nullptr)
    throw error(errc::unsupported, "library node with an edge that carries no container", e.place);
  port result{*d, std::move(connector)};
  auto& part = result.shape;
  part.transient = part.pool = false;
  part.lifetime = lifetime::scope;
  part.start_offset = expression::integer(0);
  part.offset.assign(d->shape.size(), expression::integer(0));
  part.kind = descriptor_kind::array;
  if (d->kind == descriptor_kind::scalar) part.strides = {expression::integer(1)};
  part.total_size = expression::integer(1);
  if (e.memlet.subset && e.memlet.subset->size() == d->shape.size())
    for (std::size_t k = 0; k < d->shape.size(); ++k) {
      auto const& r = (*e.memlet.subset)[k];
      auto const span = simplified(r.end - r.begin);
      part.shape[k] = r.step.is_integer(1)
                          ? simplified(span + expression::integer(1))
                          : expression::binary("//", span, r.step) + expression::integer(1);
      part.strides[k] = simplified(part.strides[k] * r.step);
    }
  for (auto const& extent : part.shape) part.total_size = simplified(part.total_size * extent);
  return result;
}

/// Nodes and edges of a state in the making.
struct state_builder {
  state made;
  std::string place;

  std::size_t add(std::string label, decltype(node::content) content,
                  std::optional<std::size_t> scope = {}) {
    node n;
    n.label = std::move(label);
    n.place = place;
    n.scope_entry = scope;
    n.content = std::move(content);
    made.nodes.push_back(std::move(n));
    return made.nodes.size() - 1;
  }

  void connect(std::size_t source, std::string out, std::size_t target, std::string in,
               memlet carried = {}) {
    made.edges.push_back(
        {source, target, std::move(out), std::move(in), std::move(carried), place});
  }
};

memlet moving(std::string const& data, subset where) {
  memlet m;
  m.data = data;
  m.subset = std::move(where);
  return m;
}

struct map_level {
  std::vector<std::string> parameters;
  subset ranges;
  schedule kind = schedule::sequential;
};

/// A value that a tasklet reads: the connectors are "__in0", "__in1", ...
struct element_input {
  port const* from = nullptr;
  expression_list index = {};
};

/// A tasklet under maps, outermost first.
struct element_code {
  std::string code = {};
  std::vector<element_input> inputs = {};
  port const* out = nullptr;
  expression_list out_index = {};
  std::string conflict_resolution = {};
  bool conflict_nonatomic = false;
};

state mapped_tasklet(std::string const& label, std::vector<map_level> levels, element_code const& x,
                     std::string const& place) {
  std::erase_if(levels, [](map_level const& one) { return one.parameters.empty(); });
  state_builder b{{}, place};
  std::vector<std::size_t> entries, exits;
  std::optional<std::size_t> scope;
  for (auto const& level : levels) {
    map_entry m;
    m.parameters = level.parameters;
    m.ranges = level.ranges;
    m.schedule = level.kind;
    for (auto const& input : x.inputs) {
      m.in_connectors.push_back("IN_" + input.from->connector);
      m.out_connectors.push_back("OUT_" + input.from->connector);
    }
    scope = b.add(label, std::move(m), scope);
    entries.push_back(*scope);
  }
  tasklet t;
  t.code.text = x.code;
  for (std::size_t k = 0; k < x.inputs.size(); ++k)
    t.in_connectors.push_back(fmt::format("__in{}", k));
  t.out_connectors = {"__out"};
  auto const work = b.add(label, std::move(t), scope);
  for (std::size_t k = entries.size(); k-- > 0;) {
    map_exit m{{"IN_" + x.out->connector}, {"OUT_" + x.out->connector}};
    auto const exit = b.add(label, std::move(m), entries[k]);
    b.made.nodes[entries[k]].scope_exit = exit;
    exits.push_back(exit); // innermost first
  }

  auto const resolved = [&](memlet m) {
    m.conflict_resolution = x.conflict_resolution;
    m.conflict_nonatomic = x.conflict_nonatomic;
    return m;
  };
  for (std::size_t k = 0; k < x.inputs.size(); ++k) {
    auto const& [from, index] = x.inputs[k];
    auto at = b.add(from->connector, access_node{from->connector});
    std::string leaving;
    for (auto const entry : entries) {
      b.connect(at, leaving, entry, "IN_" + from->connector,
                moving(from->connector, whole(from->shape)));
      at = entry;
      leaving = "OUT_" + from->connector;
    }
    b.connect(at, leaving, work, fmt::format("__in{}", k), moving(from->connector, element(index)));
  }
  if (x.inputs.empty() && !entries.empty()) {
    for (std::size_t k = 1; k < entries.size(); ++k) b.connect(entries[k - 1], "", entries[k], "");
    b.connect(entries.back(), "", work, "");
  }
  auto const target = b.add(x.out->connector, access_node{x.out->connector});
  auto at = work;
  std::string leaving = "__out";
  for (auto const exit : exits) {
    b.connect(at, leaving, exit, "IN_" + x.out->connector,
              resolved(at == work ? moving(x.out->connector, element(x.out_index))
                                  : moving(x.out->connector, whole(x.out->shape))));
    at = exit;
    leaving = "OUT_" + x.out->connector;
  }
  b.connect(at, leaving, target, "",
            resolved(at == work ? moving(x.out->connector, element(x.out_index))
                                : moving(x.out->connector, whole(x.out->shape))));
  return std::move(b.made);
}

void collect_symbols(descriptor const& d, std::set<std::string>& names) {
  for (auto const* list : {&d.shape, &d.strides})
    for (auto const& e : *list) collect_free_names(e, names);
}

/// A nested SDFG around states that follow each other.
nested_sdfg nest(std::string const& name, std::vector<port const*> const& in,
                 std::vector<port const*> const& out, std::vector<state> states,
                 surroundings const& around, std::string const& place) {
  auto body = std::make_shared<graph>();
  body->name = name;
  body->id = around.outer.id;
  body->place = place;
  nested_sdfg result;
  std::set<std::string> symbols;
  auto const add = [&](port const& p) {
    auto d = p.shape;
    d.place = place;
    collect_symbols(d, symbols);
    body->arrays.emplace_back(p.connector, std::move(d));
  };
  for (auto const* p : in) {
    add(*p);
    result.in_connectors.push_back(p->connector);
  }
  for (auto const* p : out) {
    add(*p);
    result.out_connectors.push_back(p->connector);
  }
  for (auto const& symbol : symbols) {
    auto const known = around.outer.symbols.find(symbol);
    body->symbols.emplace(symbol,
                          known == around.outer.symbols.end() ? dtype::int64 : known->second);
    result.symbol_mapping.emplace_back(symbol, expression::name(symbol));
  }
  for (std::size_t k = 0; k < states.size(); ++k) {
    body->root.blocks.push_back({fmt::format("{}_{}", name, k), place, std::move(states[k])});
    if (k > 0) body->root.edges.push_back({k - 1, k, std::nullopt, {}, place});
  }
  result.body = std::move(body);
  return result;
}

bool is_one(expression const& e) { return simplified(e).is_integer(1); }

schedule schedule_for(port const& out, surroundings const& around) {
  bool const on_device = out.shape.storage == storage::gpu_global;
  return on_device && !around.in_kernel ? schedule::gpu_device : schedule::sequential;
}

nested_sdfg reduce(library_node const& x, port const& in, port const& out,
                   surroundings const& around, std::string const& place) {
  if (x.conflict_resolution.empty())
    throw error(errc::invalid_input, "Reduce without a conflict resolution", place);
  auto const rank = in.shape.shape.size();
  std::vector<bool> is_reduced(rank, x.axes.empty());
  for (auto const axis : x.axes) {
    auto const k = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    if (k < 0 || k >= static_cast<std::int64_t>(rank))
      throw error(errc::invalid_input,
                  fmt::format("Reduce over axis {} of a container with {} dimensions", axis, rank),
                  place);
    is_reduced[static_cast<std::size_t>(k)] = true;
  }
  auto const upto = [](expression const& count) {
    return range{expression::integer(0), simplified(count - expression::integer(1))};
  };
  expression_list in_index(rank, expression::integer(0));
  expression_list out_index(out.shape.shape.size(), expression::integer(0));
  map_level kept{.parameters = {}, .ranges = {}, .kind = schedule_for(out, around)};
  map_level inner{.parameters = {}, .ranges = {}, .kind = schedule::sequential};
  std::size_t next = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    auto const& count = in.shape.shape[k];
    if (is_one(count)) continue;
    if (is_reduced[k]) {
      inner.parameters.push_back(fmt::format("_i{}", k));
      inner.ranges.push_back(upto(count));
      in_index[k] = expression::name(inner.parameters.back());
      continue;
    }
    while (next < out_index.size() && is_one(out.shape.shape[next])) ++next;
    if (next == out_index.size())
      throw error(errc::unsupported, "Reduce whose output has fewer dimensions than are kept",
                  place);
    kept.parameters.push_back(fmt::format("_o{}", k));
    kept.ranges.push_back(upto(count));
    in_index[k] = out_index[next++] = expression::name(kept.parameters.back());
  }
  while (next < out_index.size() && is_one(out.shape.shape[next])) ++next;
  if (next != out_index.size())
    throw error(errc::unsupported, "Reduce whose output has more dimensions than are kept", place);

  // Alone, one thread adds up its elements in order; without a dimension to keep, all threads meet
  // at one element.
  bool const alone = !kept.parameters.empty() || kept.kind == schedule::sequential;
  if (!alone) inner.kind = schedule::gpu_device;
  std::vector<state> states;
  map_level one{.parameters = {"_o"}, .ranges = {upto(expression::integer(1))}, .kind = kept.kind};
  bool const needs_map = kept.parameters.empty() && kept.kind == schedule::gpu_device;
  if (x.identity)
    states.push_back(mapped_tasklet(
        "reduce_init", {needs_map ? one : kept},
        {.code = "__out = " + to_text(*x.identity), .out = &out, .out_index = out_index}, place));
  if (needs_map && inner.parameters.empty()) inner = one;
  states.push_back(mapped_tasklet("reduce", {kept, inner},
                                  {.code = "__out = __in0",
                                   .inputs = {{&in, in_index}},
                                   .out = &out,
                                   .out_index = out_index,
                                   .conflict_resolution = x.conflict_resolution,
                                   .conflict_nonatomic = alone},
                                  place));
  return nest("reduce", {&in}, {&out}, std::move(states), around, place);
}

nested_sdfg copy(port const& in, port const& out, surroundings const& around,
                 std::string const& place) {
  state_builder b{{}, place};
  auto const from = b.add(in.connector, access_node{in.connector});
  auto const to = b.add(out.connector, access_node{out.connector});
  auto m = moving(in.connector, whole(in.shape));
  m.other_subset = whole(out.shape);
  b.connect(from, "", to, "", std::move(m));
  std::vector<state> states;
  states.push_back(std::move(b.made));
  return nest("copy", {&in}, {&out}, std::move(states), around, place);
}

nested_sdfg fill(library_node const& x, port const* value, port const& out,
                 surroundings const& around, std::string const& place) {
  map_level level{.parameters = {}, .ranges = {}, .kind = schedule_for(out, around)};
  expression_list index(out.shape.shape.size(), expression::integer(0));
  for (std::size_t k = 0; k < index.size(); ++k) {
    auto const& count = out.shape.shape[k];
    bool const last = k + 1 == index.size();
    if (is_one(count) && !(last && level.parameters.empty())) continue;
    level.parameters.push_back(fmt::format("_i{}", k));
    level.ranges.push_back({expression::integer(0), simplified(count - expression::integer(1))});
    index[k] = expression::name(level.parameters.back());
  }
  element_code code{.out = &out, .out_index = index};
  code.code = value != nullptr ? "__out = __in0"
                               : "__out = " + to_text(x.identity.value_or(expression::integer(0)));
  if (value != nullptr) {
    expression_list const first(value->shape.shape.size(), expression::integer(0));
    code.inputs = {{value, first}};
  }
  std::vector<state> states;
  states.push_back(mapped_tasklet("fill", {level}, code, place));
  std::vector<port const*> inputs;
  if (value != nullptr) inputs.push_back(value);
  return nest("fill", inputs, {&out}, std::move(states), around, place);
}

/// One kernel thread, or host iteration, for each element of the result; it adds up in order.
nested_sdfg sum_of_products(library_node const& x, std::vector<port> const& in, port const* addend,
                            port const& out, surroundings const& around, std::string const& place) {
  std::vector<expression_list> shapes;
  for (auto const& factor : in) shapes.push_back(factor.shape.shape);
  auto const form = contraction_of(x, shapes, out.shape.shape, place);
  std::map<int, expression> count;
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::size_t d = 0; d < shapes[k].size(); ++d) {
      auto const& extent = shapes[k][d];
      auto const [at, is_new] = count.try_emplace(form.inputs[k][d], extent);
      if (!is_new && is_one(at->second)) at->second = extent;
    }
  count.erase(contraction::no_mode);
  auto const index_of = [](int mode) {
    return mode == contraction::no_mode ? expression::integer(0)
                                        : expression::name(fmt::format("_i{}", mode));
  };
  map_level kept{.parameters = {}, .ranges = {}, .kind = schedule_for(out, around)};
  map_level summed{.parameters = {}, .ranges = {}, .kind = schedule::sequential};
  auto const add = [&](map_level& level, int mode) {
    level.parameters.push_back(index_of(mode)->text);
    level.ranges.push_back(
        {expression::integer(0), simplified(count.at(mode) - expression::integer(1))});
    count.erase(mode);
  };
  expression_list out_index;
  for (int const mode : form.output) {
    out_index.push_back(index_of(mode));
    if (mode != contraction::no_mode && count.contains(mode)) add(kept, mode);
  }
  while (!count.empty()) add(summed, count.begin()->first);
  if (kept.parameters.empty()) {
    kept.parameters.push_back("_o");
    kept.ranges.push_back({expression::integer(0), expression::integer(0)});
  }
  auto const alpha = simplified(x.alpha.value_or(expression::integer(1)));
  auto const beta = simplified(x.beta.value_or(expression::integer(0)));
  element_code sum{.out = &out, .out_index = out_index};
  sum.code = "__out = ";
  for (std::size_t k = 0; k < in.size(); ++k) {
    expression_list index;
    for (int const mode : form.inputs[k]) index.push_back(index_of(mode));
    sum.inputs.push_back({&in[k], std::move(index)});
    sum.code += fmt::format("{}__in{}", k == 0 ? "" : " * ", k);
  }
  if (!is_one(alpha)) sum.code += " * (" + to_text(alpha) + ")";
  // DaCe's nodes without an addend of their own scale what the result held before.
  element_code first{.out = &out, .out_index = out_index};
  bool const starts_at_zero = beta.is_integer(0);
  bool const is_direct = starts_at_zero && summed.parameters.empty();
  if (starts_at_zero) {
    first.code = "__out = 0";
  } else if (addend != nullptr) {
    first.code = "__out = __in0 * (" + to_text(beta) + ")";
    first.inputs = {{addend, out_index}};
  } else {
    first.code = "__out = " + to_text(beta);
    first.conflict_resolution = "lambda a, b: a * b";
    first.conflict_nonatomic = true;
  }
  if (!is_direct) {
    sum.conflict_resolution = "lambda a, b: a + b";
    sum.conflict_nonatomic = true;
  }
  std::vector<state> states;
  if (!is_direct && (starts_at_zero || addend != nullptr || !is_one(beta)))
    states.push_back(mapped_tasklet("product_init", {kept}, first, place));
  states.push_back(mapped_tasklet("product", {kept, summed}, sum, place));
  std::vector<port const*> inputs;
  for (auto const& factor : in) inputs.push_back(&factor);
  if (addend != nullptr && !starts_at_zero) inputs.push_back(addend);
  return nest("product", inputs, {&out}, std::move(states), around, place);
}

void expand(state& s, std::size_t n, surroundings const& around) {
  auto& target = s.nodes[n];
  auto const& x = around.known.at(target.place);
  std::vector<port> in, out;
  for (auto& e : s.edges) {
    if (!e.memlet.data || (e.target != n && e.source != n)) continue;
    auto& connector = e.target == n ? e.target_connector : e.source_connector;
    if (connector.empty()) connector = e.target == n ? "_in" : "_out";
    (e.target == n ? in : out).push_back(port_of(e, around, connector));
  }
  std::ranges::sort(in, {}, &port::connector); // "_a", "_b"
  if (is_contraction(x.type)) {
    // A third input of a product is what it is added to.
    std::optional<port> addend;
    for (auto const* const name : {"_cin", "_c", "_y"})
      if (auto const found = std::ranges::find(in, name, &port::connector);
          found != in.end() && in.size() > 2 && x.type != "Einsum") {
        addend = std::move(*found);
        in.erase(found);
      }
    if (out.size() != 1)
      throw error(errc::invalid_input, fmt::format("{} with {} outputs", x.type, out.size()),
                  target.place);
    if (addend && addend->connector == out[0].connector)
      throw error(errc::unsupported, fmt::format("{} with an addend of the result's name", x.type),
                  target.place);
    target.content =
        sum_of_products(x, in, addend ? &*addend : nullptr, out[0], around, target.place);
    return;
  }
  bool const takes_none = x.type == "FillLibraryNode" && in.empty();
  if (out.size() != 1 || in.size() != (takes_none ? 0 : 1))
    throw error(errc::invalid_input,
                fmt::format("{} with {} inputs and {} outputs", x.type, in.size(), out.size()),
                target.place);
  if (x.type == "Reduce")
    target.content = reduce(x, in[0], out[0], around, target.place);
  else if (x.type == "CopyLibraryNode")
    target.content = copy(in[0], out[0], around, target.place);
  else
    target.content = fill(x, in.empty() ? nullptr : &in[0], out[0], around, target.place);
}

void expand(region&, surroundings const&);

void expand(state& s, surroundings const& around) {
  auto const is_inside = [&](node const& n) {
    for (auto scope = n.scope_entry; scope; scope = s.nodes[*scope].scope_entry) {
      auto const* map = std::get_if<map_entry>(&s.nodes[*scope].content);
      if (map == nullptr || map->schedule == schedule::gpu_device ||
          map->schedule == schedule::gpu_thread_block)
        return true;
    }
    return around.in_kernel;
  };
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    surroundings const here{around.outer, around.known, is_inside(s.nodes[n])};
    if (std::holds_alternative<opaque_node>(s.nodes[n].content) &&
        around.known.contains(s.nodes[n].place)) {
      expand(s, n, here);
    } else if (auto* nested = std::get_if<nested_sdfg>(&s.nodes[n].content)) {
      auto body = std::make_shared<graph>(*nested->body);
      expand(body->root, {*body, around.known, here.in_kernel});
      nested->body = std::move(body);
    }
  }
}

void expand(region& r, surroundings const& around) {
  auto const inner = [&](std::shared_ptr<region const>& body) {
    auto copy = std::make_shared<region>(*body);
    expand(*copy, around);
    body = std::move(copy);
  };
  for (auto& b : r.blocks) {
    if (auto* s = std::get_if<state>(&b.content)) expand(*s, around);
    if (auto* l = std::get_if<loop_region>(&b.content)) inner(l->body);
    if (auto* p = std::get_if<plain_region>(&b.content)) inner(p->body);
    if (auto* c = std::get_if<conditional_block>(&b.content))
      for (auto& branch : c->branches) inner(branch.body);
  }
}

} // namespace

void expand_library_nodes(graph& g, library_nodes const& known) {
  if (!known.empty()) expand(g.root, {g, known, false});
}

} // namespace assay::sdfg
