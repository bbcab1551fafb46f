#include "fuzz/program_builder.hpp"

namespace assay::fuzz {

expression program_builder::size_of(context const& c, shape_kind shape) {
  return shape_of(c, {.name = {}, .shape = shape}).front();
}

expression program_builder::last_of(context const& c, shape_kind shape) {
  return size_of(c, shape) - num(1);
}

subset program_builder::whole(context const& c, container const& x) {
  subset result;
  for (auto const& size : shape_of(c, x)) result.push_back(from_to(num(0), size - num(1)));
  return result;
}

iteration program_builder::iterate(context const& c, container const& target, op_spec const& op,
                                   bool full) const {
  iteration it;
  int const variant = full ? 0 : op.variant % 5;
  expression const i = sym("i"), j = sym("j");
  if (target.shape != shape_kind::nm) {
    expression const last = last_of(c, target.shape);
    it.over = target.shape;
    it.parameters = {"i"};
    it.row = row_of(c, op.second);
    range span = from_to(num(0), last);
    std::int64_t write_shift = 0;
    if (variant == 1 || variant == 2) {
      span.end = last - num(1);
      (variant == 1 ? write_shift : it.read_shift) = 1;
    } else if (variant == 3) {
      span.step = num(2);
    } else if (variant == 4 && target.shape == shape_kind::five && !c.smalls.empty()) {
      span.end = sym(c.smalls[op.first % c.smalls.size()]) - num(1);
    }
    it.ranges = {span};
    it.written_inside = {point(i + num(write_shift))};
    it.written_outside = {{span.begin + num(write_shift), span.end + num(write_shift), span.step}};
    return it;
  }
  if (variant == 1) {
    it.over = shape_kind::m;
    it.parameters = {"j"};
    it.row = row_of(c, op.first);
    it.ranges = {from_to(num(0), last_of(c, shape_kind::m))};
    it.written_inside = {point(it.row), point(j)};
    it.written_outside = {point(it.row), it.ranges[0]};
    return it;
  }
  it.one_dimensional = false;
  it.parameters = {"i", "j"};
  it.ranges = {from_to(num(0), last_of(c, shape_kind::n)),
               from_to(num(0), last_of(c, shape_kind::m))};
  it.written_inside = {point(i), point(j)};
  it.written_outside = it.ranges;
  if (variant == 2) {
    it.ranges[0].end = last_of(c, shape_kind::n) - num(1);
    it.written_inside[0] = point(i + num(1));
    it.written_outside[0] = from_to(num(1), last_of(c, shape_kind::n));
  } else if (variant == 3) {
    it.ranges[1].begin = num(1);
    it.written_outside[1] = it.ranges[1];
  }
  return it;
}

read_access program_builder::reading(context const& c, iteration const& it,
                                     container const& source) const {
  if (source.where == place_kind::scalar) return {{point(num(0))}, {point(num(0))}, false};
  range const& first = it.ranges.front();
  if (it.one_dimensional) {
    expression const p = sym(it.parameters.front()) + num(it.read_shift);
    range const image{first.begin + num(it.read_shift), first.end + num(it.read_shift), first.step};
    if (source.shape == it.over) return {{point(p)}, {image}, false};
    if (source.shape == shape_kind::nm && it.over == shape_kind::m)
      return {{point(it.row), point(p)}, {point(it.row), image}, false};
    if (source.shape == shape_kind::nm && it.over == shape_kind::n)
      return {{point(p), point(num(0))}, {image, point(num(0))}, false};
  } else {
    if (source.shape == shape_kind::nm)
      return {{point(sym("i")), point(sym("j"))}, it.ranges, false};
    if (source.shape == shape_kind::n) return {{point(sym("i"))}, {it.ranges[0]}, false};
    if (source.shape == shape_kind::m) return {{point(sym("j"))}, {it.ranges[1]}, false};
  }
  return {whole(c, source), whole(c, source), true};
}

void program_builder::add_map(context& c, open_region& r, std::size_t target, iteration const& it,
                              std::vector<std::size_t> const& sources,
                              std::vector<read_access> const& reads, body_kind body, bool sums,
                              sdfg::schedule schedule) {
  auto const nodes = connect(c, r, sources, target);
  auto& s = r.state;
  std::string const number = std::to_string(next_place_);
  sdfg::map_entry entry;
  entry.parameters = it.parameters;
  entry.ranges = it.ranges;
  entry.schedule = schedule;
  sdfg::map_exit exit;
  auto const entry_node = add_node(s, "map_" + number, entry);
  auto const body_node = body == body_kind::tasklet
                             ? add_node(s, "compute_" + number, make_tasklet(reads, "out"))
                             : add_node(s, "inside_" + number, make_kernel_sdfg(it, reads));
  auto const exit_node = add_node(s, "map_" + number, exit);
  for (auto const node : {body_node, exit_node}) s.state.nodes[node].scope_entry = entry_node;
  for (auto const node : {entry_node, body_node, exit_node})
    s.state.nodes[node].scope_exit = exit_node;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    std::string const& name = c.containers[sources[k]].name;
    auto& connectors = std::get<sdfg::map_entry>(s.state.nodes[entry_node].content);
    connectors.in_connectors.push_back("IN_" + name);
    connectors.out_connectors.push_back("OUT_" + name);
    add_edge(s, nodes.sources[k], "", entry_node, "IN_" + name, part(name, reads[k].outside));
    add_edge(s, entry_node, "OUT_" + name, body_node, "in" + std::to_string(k),
             part(name, reads[k].inside));
  }
  if (sources.empty()) add_edge(s, entry_node, "", body_node, "", {});
  std::string const& name = c.containers[target].name;
  auto& connectors = std::get<sdfg::map_exit>(s.state.nodes[exit_node].content);
  connectors.in_connectors.push_back("IN_" + name);
  connectors.out_connectors.push_back("OUT_" + name);
  auto inside = part(name, it.written_inside), outside = part(name, it.written_outside);
  if (sums) inside.conflict_resolution = outside.conflict_resolution = "lambda a, b: a + b";
  add_edge(s, body_node, "out", exit_node, "IN_" + name, std::move(inside));
  add_edge(s, exit_node, "OUT_" + name, nodes.target, "", std::move(outside));
}

sdfg::tasklet program_builder::make_tasklet(std::vector<read_access> const& reads,
                                            std::string const& out, std::string extra) {
  sdfg::tasklet t;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    std::string const in = "in" + std::to_string(k);
    t.in_connectors.push_back(in);
    std::string index = reads[k].is_pointer ? "[0" : "";
    for (std::size_t d = 1; reads[k].is_pointer && d < reads[k].inside.size(); ++d) index += ", 0";
    extra += " + " + in + index + (reads[k].is_pointer ? "]" : "");
  }
  t.out_connectors = {out};
  t.code.text = out + " = " + extra;
  return t;
}

sdfg::nested_sdfg program_builder::make_kernel_sdfg(iteration const& it,
                                                    std::vector<read_access> const& reads) {
  auto inner = std::make_shared<sdfg::graph>();
  inner->name = "kernel_sdfg_" + std::to_string(next_graph_);
  inner->id = next_graph_++;
  inner->place = fresh_place();
  inner->symbols["w"] = dtype::int64;
  sdfg::nested_sdfg n;
  n.symbol_mapping = {{"w", sym(it.parameters.front())}};
  n.out_connectors = {"out"};
  open_state s;
  std::vector<read_access> scalars(reads.size());
  std::vector<std::size_t> access;
  auto const declare_one = [&](std::string const& name) {
    sdfg::descriptor d;
    d.type = dtype::int64;
    d.shape = {num(1)};
    d.strides = {num(1)};
    d.offset = {num(0)};
    d.total_size = num(1);
    d.place = fresh_place();
    inner->arrays.emplace_back(name, d);
  };
  for (std::size_t k = 0; k < reads.size(); ++k) {
    std::string const name = "in" + std::to_string(k);
    n.in_connectors.push_back(name);
    declare_one(name);
    access.push_back(add_node(s, name, sdfg::access_node{name, false}));
  }
  declare_one("out");
  auto const code = add_node(s, "inner_code", make_tasklet(scalars, "result", "w"));
  auto const out = add_node(s, "out", sdfg::access_node{"out", false});
  for (std::size_t k = 0; k < reads.size(); ++k) {
    std::string const name = "in" + std::to_string(k);
    add_edge(s, access[k], "", code, name, part(name, {point(num(0))}));
  }
  add_edge(s, code, "result", out, "", part("out", {point(num(0))}));
  sdfg::block b;
  b.label = "inner";
  b.place = fresh_place();
  b.content = std::move(s.state);
  inner->root.blocks.push_back(std::move(b));
  n.body = std::move(inner);
  return n;
}

std::optional<std::size_t> program_builder::untouched_array(context const& c, open_state const& s,
                                                            std::uint8_t number) {
  if (number < 192) {
    std::vector<std::size_t> candidates;
    for (std::size_t k = 0; k < c.containers.size(); ++k)
      if (c.containers[k].where == place_kind::device && !s.latest.contains(k))
        candidates.push_back(k);
    if (!candidates.empty()) return candidates[number % candidates.size()];
  }
  return device_array(c, number, false);
}

std::optional<std::size_t> program_builder::source_array(context const& c, open_state const& s,
                                                         std::uint8_t number) {
  if (number >= 112 && number < 224) {
    std::vector<std::size_t> candidates;
    for (auto const& [id, node] : s.latest)
      if (c.containers[id].where == place_kind::device && s.made_by.contains(node))
        candidates.push_back(id);
    if (!candidates.empty()) return candidates[number % candidates.size()];
  }
  if (number >= 224) // now and then a scalar that the kernel takes by value
    return pick(c, number,
                [](container const& x) { return x.where == place_kind::scalar && x.defined; });
  return device_array(c, number, true);
}

std::optional<std::size_t> program_builder::joined_array(context const& c, open_state const& s,
                                                         std::size_t first, std::uint8_t number) {
  auto const made_by = [&](std::size_t node) -> std::set<int> {
    auto const found = s.made_by.find(node);
    return found == s.made_by.end() ? std::set<int>{} : found->second;
  };
  if (number < 176 && s.latest.contains(first)) {
    auto const history = made_by(s.latest.at(first));
    std::vector<std::size_t> candidates;
    for (auto const& [id, node] : s.latest) {
      auto const other = made_by(node);
      if (c.containers[id].where == place_kind::device && !history.empty() && !other.empty() &&
          !std::ranges::includes(history, other) && !std::ranges::includes(other, history))
        candidates.push_back(id);
    }
    if (!candidates.empty()) return candidates[number % candidates.size()];
  }
  return source_array(c, s, number);
}

void program_builder::map_op(context& c, open_region& r, op_spec const& op) {
  auto const target = untouched_array(c, r.state, op.target);
  if (!target) return;
  auto const& t = c.containers[*target];
  if (!t.defined && c.is_root && op.variant >= 128 && op.kind == op_kind::map) {
    // A transient that starts as zeros: parts of it may be written first.
    c.containers[*target].defined = true;
    zero_filled_.insert(t.name);
    result_.has.zero_fill = true;
  }
  iteration const it = iterate(c, t, op, !t.defined);
  std::vector<std::size_t> sources;
  for (auto const number : {op.first, op.second}) {
    auto const source = sources.empty() ? source_array(c, r.state, number)
                                        : joined_array(c, r.state, sources.front(), number);
    if (!source || std::ranges::find(sources, *source) != sources.end()) continue;
    auto const read = reading(c, it, c.containers[*source]);
    // In place only element by element: other threads may not see a half-written array.
    auto const same = [](range const& a, range const& b) {
      return a.begin == b.begin && a.end == b.end;
    };
    if (*source == *target && !std::ranges::equal(read.inside, it.written_inside, same)) continue;
    if (op.kind == op_kind::kernel_sdfg && read.is_pointer) continue;
    sources.push_back(*source);
  }
  std::vector<read_access> reads;
  for (auto const source : sources) reads.push_back(reading(c, it, c.containers[source]));
  add_map(c, r, *target, it, sources, reads,
          op.kind == op_kind::kernel_sdfg ? body_kind::nested_sdfg : body_kind::tasklet, false,
          sdfg::schedule::gpu_device);
}

void program_builder::stencil_op(context& c, open_region& r, op_spec const& op) {
  auto const target = pick(
      c, op.target, [](container const& x) { return x.where == place_kind::device && x.defined; });
  if (!target) return;
  auto const shape = c.containers[*target].shape;
  auto const source = pick(c, op.first, [&](container const& x) {
    return x.where == place_kind::device && x.defined && x.shape == shape &&
           x.name != c.containers[*target].name;
  });
  if (!source) return;
  iteration it;
  read_access read;
  read.is_pointer = true;
  expression const i = sym("i"), j = sym("j");
  if (shape == shape_kind::nm) {
    it.one_dimensional = false;
    it.parameters = {"i", "j"};
    auto const last = last_of(c, shape_kind::n);
    it.ranges = {from_to(num(1), last - num(1)), from_to(num(0), last_of(c, shape_kind::m))};
    it.written_inside = {point(i), point(j)};
    it.written_outside = it.ranges;
    read.inside = {from_to(i - num(1), i + num(1)), point(j)};
    read.outside = {from_to(num(0), last), it.ranges[1]};
  } else {
    it.parameters = {"i"};
    auto const last = last_of(c, shape);
    it.ranges = {from_to(num(0), last - num(2))};
    it.written_inside = {point(i + num(1))};
    it.written_outside = {from_to(num(1), last - num(1))};
    read.inside = {from_to(i, i + num(2))};
    read.outside = {from_to(num(0), last)};
  }
  add_map(c, r, *target, it, {*source}, {read}, body_kind::tasklet, false,
          sdfg::schedule::gpu_device);
}

void program_builder::reduce_op(context& c, open_region& r, op_spec const& op) {
  auto const target = pick(c, op.target, [](container const& x) {
    return x.where == place_kind::device && x.defined && x.shape != shape_kind::nm &&
           x.shape != shape_kind::z;
  });
  if (!target) return;
  auto const& t = c.containers[*target];
  auto const source = pick(c, op.first, [&](container const& x) {
    return x.where == place_kind::device && x.defined && x.name != t.name &&
           (t.shape == shape_kind::five || x.shape == shape_kind::nm);
  });
  if (!source) return;
  auto const& from = c.containers[*source];
  iteration it;
  it.ranges = whole(c, from);
  it.one_dimensional = from.shape != shape_kind::nm;
  it.parameters =
      it.one_dimensional ? std::vector<std::string>{"i"} : std::vector<std::string>{"i", "j"};
  read_access read;
  read.outside = it.ranges;
  for (auto const& p : it.parameters) read.inside.push_back(point(sym(p)));
  if (t.shape == shape_kind::five) {
    it.written_inside = it.written_outside = {point(num(op.variant % 5))};
  } else {
    std::size_t const kept = t.shape == shape_kind::n ? 0 : 1;
    it.written_inside = {point(sym(it.parameters[kept]))};
    it.written_outside = {it.ranges[kept]};
  }
  add_map(c, r, *target, it, {*source}, {read}, body_kind::tasklet, true,
          sdfg::schedule::gpu_device);
}

} // namespace assay::fuzz
