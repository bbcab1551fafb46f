#include "fuzz/program_builder.hpp"

namespace assay::fuzz {

void program_builder::copy_op(context& c, open_region& r, op_spec const& op, place_kind from,
                              place_kind to) {
  auto const target = pick(c, op.target, [&](container const& x) { return x.where == to; });
  if (!target) return;
  auto const& t = c.containers[*target];
  int variant = t.defined ? op.variant % 4 : 0;
  // Variants 2 and 3 pair a row or a column with a one-dimensional array.
  bool const row = variant == 2 && (t.shape == shape_kind::m || t.shape == shape_kind::nm);
  bool const column = variant == 3 && (t.shape == shape_kind::n || t.shape == shape_kind::nm);
  auto const other_shape = row      ? (t.shape == shape_kind::m ? shape_kind::nm : shape_kind::m)
                           : column ? (t.shape == shape_kind::n ? shape_kind::nm : shape_kind::n)
                                    : t.shape;
  auto const source = pick(c, op.first, [&](container const& x) {
    return x.where == from && x.defined && x.shape == other_shape && x.name != t.name;
  });
  if (!source) return;
  auto const& f = c.containers[*source];
  subset source_part = whole(c, f), target_part = whole(c, t);
  if (row) {
    (t.shape == shape_kind::nm ? target_part : source_part)[0] = point(row_of(c, op.second));
  } else if (column) {
    (t.shape == shape_kind::nm ? target_part : source_part)[1] = point(num(0));
  } else if (variant == 1) {
    source_part.back().end = source_part.back().end - num(1);
    target_part.back().begin = num(1);
  }
  auto const nodes = connect(c, r, {*source}, *target);
  auto m = part(c.containers[*source].name, source_part);
  m.other_subset = target_part;
  add_edge(r.state, nodes.sources.front(), "", nodes.target, "", std::move(m));
}

void program_builder::element_copy(context& c, open_region& r, op_spec const& op, bool to_host) {
  auto const array = pick(c, to_host ? op.first : op.target, [&](container const& x) {
    return x.where == place_kind::device && x.defined && x.shape != shape_kind::z;
  });
  auto const scalar = pick(c, to_host ? op.target : op.first, [&](container const& x) {
    return x.where == place_kind::scalar && (to_host ? x.writable : x.defined);
  });
  if (!array || !scalar) return;
  auto const& a = c.containers[*array];
  subset element;
  if (a.shape == shape_kind::nm)
    element = {point(row_of(c, op.second)), point(num(0))};
  else if (a.shape == shape_kind::five)
    element = {point(num(op.variant % 5))};
  else if (a.shape == shape_kind::n)
    element = {point(row_of(c, op.second))};
  else
    element = {point(num(0))};
  auto const nodes = connect(c, r, {to_host ? *array : *scalar}, to_host ? *scalar : *array);
  memlet m;
  if (to_host) {
    m = part(a.name, element);
    m.other_subset = subset{point(num(0))};
    device_scalars_.insert({c.graph, c.containers[*scalar].name});
  } else {
    m = part(c.containers[*scalar].name, {point(num(0))});
    m.other_subset = element;
  }
  add_edge(r.state, nodes.sources.front(), "", nodes.target, "", std::move(m));
}

void program_builder::host_code_op(context& c, open_region& r, op_spec const& op) {
  auto const target = pick(
      c, op.target, [](container const& x) { return x.where == place_kind::scalar && x.writable; });
  auto const defined = [](container const& x) {
    return x.where == place_kind::scalar && x.defined;
  };
  std::vector<std::size_t> sources;
  for (auto const number : {op.first, op.second})
    if (auto const source = pick(c, number, defined);
        source && std::ranges::find(sources, *source) == sources.end())
      sources.push_back(*source);
  if (!target || sources.empty()) return;
  std::vector<read_access> reads(sources.size(), {{point(num(0))}, {point(num(0))}, false});
  auto const nodes = connect(c, r, sources, *target);
  auto& s = r.state;
  auto const code =
      add_node(s, "host_code_" + std::to_string(next_place_), make_tasklet(reads, "out"));
  for (std::size_t k = 0; k < sources.size(); ++k)
    add_edge(s, nodes.sources[k], "", code, "in" + std::to_string(k),
             part(c.containers[sources[k]].name, {point(num(0))}));
  add_edge(s, code, "out", nodes.target, "", part(c.containers[*target].name, {point(num(0))}));
}

void program_builder::host_map_op(context& c, open_region& r, op_spec const& op) {
  auto const on_host = [](container const& x) { return x.where == place_kind::host; };
  auto const target = pick(c, op.target, on_host);
  if (!target) return;
  auto const shape = c.containers[*target].shape;
  auto const source = pick(c, op.first, [&](container const& x) {
    return x.where == place_kind::host && x.defined && x.shape == shape;
  });
  if (!source) return;
  op_spec plain = op;
  plain.variant = 0;
  iteration const it = iterate(c, c.containers[*target], plain, true);
  add_map(c, r, *target, it, {*source}, {reading(c, it, c.containers[*source])}, body_kind::tasklet,
          false, sdfg::schedule::sequential);
}

void program_builder::operation(context& c, open_region& r, op_spec const& op) {
  using enum place_kind;
  switch (op.kind) {
  case op_kind::map:
  case op_kind::kernel_sdfg:
    return map_op(c, r, op);
  case op_kind::stencil:
    return stencil_op(c, r, op);
  case op_kind::reduce:
    return reduce_op(c, r, op);
  case op_kind::copy:
    return copy_op(c, r, op, device, device);
  case op_kind::upload:
    return copy_op(c, r, op, host, device);
  case op_kind::download:
    return copy_op(c, r, op, device, host);
  case op_kind::read_back:
    return element_copy(c, r, op, true);
  case op_kind::send:
    return element_copy(c, r, op, false);
  case op_kind::host_code:
    return host_code_op(c, r, op);
  case op_kind::host_map:
    return host_map_op(c, r, op);
  }
}

} // namespace assay::fuzz
