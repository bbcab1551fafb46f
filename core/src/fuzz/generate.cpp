#include "fuzz/generate.hpp"

#include "fuzz/program_builder.hpp"

namespace assay::fuzz {

generated_program program_builder::run() {
  context c;
  result_.graph.name = "random_program";
  result_.graph.place = "/";
  c.graph = &result_.graph;
  c.is_root = true;
  c.n = "N";
  c.m = "M";
  c.z = "Z";
  result_.symbols = {{"N", std::max<int>(1, spec_.n % 7)},
                     {"M", std::max<int>(1, spec_.m % 6)},
                     {"Z", spec_.z % 4}};
  for (auto const* s : {"N", "M", "Z"}) result_.graph.symbols[s] = dtype::int64;
  using enum shape_kind;
  for (auto const& [letter, transient] :
       {std::pair("A", false), {"B", false}, {"T", true}, {"U", true}})
    for (auto const shape : {n, m, nm, five, z})
      c.containers.push_back({.name = letter + suffix(shape),
                              .shape = shape,
                              .transient = transient,
                              .defined = !transient});
  for (auto const shape : {n, m, nm, z})
    c.containers.push_back(
        {.name = "H" + suffix(shape), .shape = shape, .where = place_kind::host, .defined = true});
  for (auto const shape : {n, m, nm})
    c.containers.push_back({.name = "W" + suffix(shape),
                            .shape = shape,
                            .where = place_kind::host,
                            .transient = true});
  for (auto const* name : {"s0", "s1", "s2"})
    c.containers.push_back({.name = name, .where = place_kind::scalar, .transient = true});
  c.containers.push_back(
      {.name = "c0", .where = place_kind::scalar, .defined = true, .writable = false});
  region(c, spec_.blocks, result_.graph.root);
  declare(c);
  return std::move(result_);
}

std::string program_builder::suffix(shape_kind shape) {
  switch (shape) {
  case shape_kind::n:
    return "_n";
  case shape_kind::m:
    return "_m";
  case shape_kind::nm:
    return "_nm";
  case shape_kind::five:
    return "_five";
  case shape_kind::z:
    return "_z";
  }
  return {};
}

std::string program_builder::fresh_place() { return "/elements/" + std::to_string(next_place_++); }

expression_list program_builder::shape_of(context const& c, container const& x) {
  if (x.where == place_kind::scalar) return {num(1)};
  switch (x.shape) {
  case shape_kind::n:
    return {sym(c.n)};
  case shape_kind::m:
    return {sym(c.m)};
  case shape_kind::nm:
    return {sym(c.n), sym(c.m)};
  case shape_kind::five:
    return {num(5)};
  case shape_kind::z:
    return {sym(c.z)};
  }
  return {};
}

sdfg::descriptor program_builder::descriptor_of(context const& c, container const& x) {
  sdfg::descriptor d;
  d.type = dtype::int64;
  d.transient = x.transient;
  d.place = fresh_place();
  d.shape = shape_of(c, x);
  d.total_size = num(1);
  if (x.where == place_kind::scalar) {
    d.strides = {num(1)};
    d.offset = {num(0)};
    return d;
  }
  d.kind = descriptor_kind::array;
  d.storage = x.where == place_kind::host ? sdfg::storage::cpu_heap : sdfg::storage::gpu_global;
  for (auto const& size : d.shape) d.total_size = d.total_size * size;
  d.strides = {num(1)};
  if (d.shape.size() == 2) d.strides = {d.shape[1], num(1)};
  d.offset.assign(d.shape.size(), num(0));
  return d;
}

void program_builder::declare(context const& c) {
  for (auto const& x : c.containers)
    if (x.used) c.graph->arrays.emplace_back(x.name, descriptor_of(c, x));
}

std::optional<std::size_t> program_builder::device_array(context const& c, std::uint8_t number,
                                                         bool defined) {
  return pick(c, number, [&](container const& x) {
    return x.where == place_kind::device && (x.defined || !defined);
  });
}

expression program_builder::row_of(context const& c, std::uint8_t number) {
  return c.rows.empty() ? num(0) : sym(c.rows[number % c.rows.size()]);
}

definedness program_builder::remembered(context const& c) {
  definedness d{{}, c.rows, c.smalls};
  for (auto const& x : c.containers) d.containers.push_back(x.defined);
  return d;
}

void program_builder::restore(context& c, definedness const& d) {
  for (std::size_t k = 0; k < d.containers.size(); ++k) c.containers[k].defined = d.containers[k];
  c.rows = d.rows;
  c.smalls = d.smalls;
}

generated_program build(program_spec const& spec) { return program_builder(spec).run(); }

} // namespace assay::fuzz
