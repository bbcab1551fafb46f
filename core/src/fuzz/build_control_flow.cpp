#include "fuzz/program_builder.hpp"

#include "assay/error.hpp"

namespace assay::fuzz {

std::size_t program_builder::defined_scalar(context& c, open_region& r, std::uint8_t number) {
  auto const found = pick(c, number, [&](container const& x) {
    return x.where == place_kind::scalar && x.defined && x.writable &&
           device_scalars_.contains({c.graph, x.name});
  });
  if (!found) {
    element_copy(c, r, {.target = number, .first = number}, true);
  }
  close_state(r);
  auto const now = pick(c, number, [&](container const& x) {
    return x.where == place_kind::scalar && x.defined && x.writable &&
           device_scalars_.contains({c.graph, x.name});
  });
  ASSAY_ASSERT(now.has_value());
  c.containers[*now].used = true;
  return *now;
}

expression program_builder::condition(context& c, open_region& r, block_spec const& b) {
  switch (b.choice % 5) {
  case 0:
    return equal(modulo(sym(b.other % 2 == 0 ? c.n : c.m), 2), num(b.other % 3 % 2));
  case 1:
    if (!c.smalls.empty())
      return less(sym(c.smalls[b.other % c.smalls.size()]), num(1 + b.other % 2));
    if (!c.rows.empty()) return less(sym(c.rows[b.other % c.rows.size()]), num(1));
    [[fallthrough]];
  case 2: {
    auto const s = defined_scalar(c, r, b.other);
    result_.has.device_read_condition = true;
    return equal(modulo(sym(c.containers[s].name), 2), num(0));
  }
  case 3: {
    auto const s = defined_scalar(c, r, b.other);
    result_.has.device_read_condition = true;
    return expression::binary("or", less(num(0), sym(c.containers[s].name)),
                              less(sym(c.n), num(3)));
  }
  default: {
    auto const s = defined_scalar(c, r, b.other);
    result_.has.device_read_condition = true;
    return expression::binary("!=", modulo(sym(c.containers[s].name), 3), num(1));
  }
  }
}

void program_builder::assignment_block(context& c, open_region& r, block_spec const& b) {
  std::string const name = "q" + std::to_string(b.choice % 2);
  expression value = modulo(sym(c.n), 3);
  if (b.other % 4 != 0) {
    auto const s = defined_scalar(c, r, b.other);
    value = modulo(sym(c.containers[s].name), 4);
  }
  close_state(r);
  bool const pending =
      std::ranges::any_of(r.assignments, [&](auto const& a) { return a.first == name; });
  if (pending) append(r, sdfg::block{}); // assignments of one edge happen together
  r.assignments.emplace_back(name, value);
  c.graph->symbols[name] = dtype::int64;
  if (std::ranges::find(c.smalls, name) == c.smalls.end()) c.smalls.push_back(name);
  if (r.region->blocks.empty() || b.other % 2 == 0) append(r, sdfg::block{});
}

statement program_builder::assign_to(std::string const& name, expression value) {
  statement s;
  s.what = statement::kind::assign;
  s.target = sym(name);
  s.value = std::move(value);
  return s;
}

void program_builder::loop_block(context& c, open_region& r, block_spec const& b) {
  if (c.all_loops == 2) return sequence(c, r, b.body);
  std::string const counter = "k" + std::to_string(c.loops);
  sdfg::loop_region loop;
  loop.variable = counter;
  loop.init = {assign_to(counter, num(0))};
  loop.update = {assign_to(counter, sym(counter) + num(1))};
  std::optional<std::size_t> stop;
  if (b.kind == block_kind::while_loop) {
    stop = defined_scalar(c, r, b.other);
    result_.has.device_read_condition = true;
    loop.condition = expression::binary(
        "and", less(sym(counter), num(3)),
        expression::binary("!=", modulo(sym(c.containers[*stop].name), 4), num(0)));
  } else if (b.choice % 3 == 0) {
    loop.condition = less(sym(counter), sym(c.n));
  } else if (b.choice % 3 == 1 && !c.smalls.empty()) {
    loop.condition = less(sym(counter), sym(c.smalls[b.other % c.smalls.size()]));
  } else {
    loop.condition = less(sym(counter), num(2));
  }
  // A counted loop over constants may test its condition behind the body, in either order.
  if (b.kind == block_kind::loop && b.choice % 3 == 2 && b.other % 2 == 0) {
    loop.inverted = true;
    loop.update_before_condition = b.other % 4 == 0;
  }
  close_state(r);
  c.graph->symbols[counter] = dtype::int64;
  auto const before = remembered(c);
  bool const is_row = b.kind == block_kind::loop && b.choice % 3 == 0;
  (is_row ? c.rows : c.smalls).push_back(counter);
  ++c.loops;
  ++c.all_loops;
  auto body = std::make_shared<sdfg::region>();
  open_region inner{body.get(), {}, {}};
  sequence(c, inner, b.body);
  if (stop) {
    auto const array = device_array(c, b.choice, true);
    if (array && c.containers[*array].shape != shape_kind::z) {
      subset element(c.containers[*array].shape == shape_kind::nm ? 2 : 1, point(num(0)));
      auto const nodes = connect(c, inner, {*array}, *stop);
      auto m = part(c.containers[*array].name, element);
      m.other_subset = subset{point(num(0))};
      add_edge(inner.state, nodes.sources.front(), "", nodes.target, "", std::move(m));
    }
  }
  finish(inner);
  --c.loops;
  --c.all_loops;
  restore(c, before);
  loop.body = std::move(body);
  sdfg::block block;
  block.content = std::move(loop);
  append(r, std::move(block));
  result_.has.loop = true;
}

void program_builder::conditional(context& c, open_region& r, block_spec const& b) {
  sdfg::conditional_block choice;
  auto const when = condition(c, r, b);
  close_state(r);
  auto const before = remembered(c);
  auto const arm = [&](std::vector<block_spec> const& blocks, std::optional<expression> e) {
    auto body = std::make_shared<sdfg::region>();
    open_region inner{body.get(), {}, {}};
    sequence(c, inner, blocks);
    finish(inner);
    restore(c, before);
    choice.branches.push_back({std::move(e), std::move(body)});
  };
  arm(b.body, when);
  if (!b.otherwise.empty()) arm(b.otherwise, std::nullopt);
  sdfg::block block;
  block.content = std::move(choice);
  append(r, std::move(block));
}

void program_builder::leave_block(context& c, open_region& r, block_spec const& b) {
  if (c.loops == 0) return sequence(c, r, b.body);
  auto const when = condition(c, r, b);
  close_state(r);
  auto const before = remembered(c);
  auto body = std::make_shared<sdfg::region>();
  open_region inner{body.get(), {}, {}};
  sequence(c, inner, b.body);
  close_state(inner);
  sdfg::block jump;
  jump.content = b.choice / 5 % 2 == 0 ? sdfg::jump::break_loop : sdfg::jump::continue_loop;
  append(inner, std::move(jump));
  restore(c, before);
  sdfg::conditional_block choice;
  choice.branches.push_back({when, std::move(body)});
  sdfg::block block;
  block.content = std::move(choice);
  append(r, std::move(block));
  result_.has.jump = true;
}

void program_builder::nested_block(context& c, open_region& r, block_spec const& b) {
  if (c.nesting == 2) return sequence(c, r, b.body);
  close_state(r);
  auto inner_graph = std::make_shared<sdfg::graph>();
  int const id = next_graph_++;
  inner_graph->id = id;
  inner_graph->name = "nested_" + std::to_string(id);
  inner_graph->place = fresh_place();
  std::string const tag = std::to_string(id);
  context inner;
  inner.graph = inner_graph.get();
  inner.nesting = c.nesting + 1;
  inner.all_loops = c.all_loops;
  sdfg::nested_sdfg node;
  auto const renamed = [&](std::string const& base, std::string const& outer) {
    std::string const name = base + tag;
    node.symbol_mapping.emplace_back(name, sym(outer));
    inner_graph->symbols[name] = dtype::int64;
    return name;
  };
  inner.n = renamed("rows", c.n);
  inner.m = renamed("columns", c.m);
  inner.z = renamed("rest", c.z);
  for (std::size_t k = 0; k < c.rows.size(); ++k)
    inner.rows.push_back(renamed("row" + std::to_string(k) + "_", c.rows[k]));
  for (std::size_t k = 0; k < c.smalls.size(); ++k)
    inner.smalls.push_back(renamed("small" + std::to_string(k) + "_", c.smalls[k]));
  // One two-dimensional array may be passed as one of its rows, never as both.
  std::optional<std::size_t> as_row;
  if (b.choice % 2 == 0)
    as_row = pick(c, b.other, [](container const& x) {
      return x.where == place_kind::device && x.shape == shape_kind::nm && x.defined;
    });
  for (std::size_t k = 0; k < c.containers.size(); ++k) {
    auto const& outer = c.containers[k];
    if (!outer.defined) continue;
    container x = outer;
    x.transient = false;
    x.used = x.written = false;
    x.outer = k;
    x.outer_subset = whole(c, outer);
    x.name = "io_" + outer.name;
    if (as_row == k) {
      x.shape = shape_kind::m;
      x.name = "row_of_" + outer.name;
      x.outer_subset[0] = point(row_of(c, b.other));
    }
    if (outer.where == place_kind::scalar && device_scalars_.contains({c.graph, outer.name}))
      device_scalars_.insert({inner.graph, x.name});
    inner.containers.push_back(x);
  }
  std::size_t const connectors = inner.containers.size();
  using enum shape_kind;
  for (auto const shape : {n, m, nm, z})
    inner.containers.push_back({.name = "V" + suffix(shape), .shape = shape, .transient = true});
  inner.containers.push_back({.name = "s0", .where = place_kind::scalar, .transient = true});
  open_region body{&inner_graph->root, {}, {}};
  auto const operations = result_.has.operations;
  sequence(inner, body, b.body);
  finish(body);
  if (operations == result_.has.operations) return; // nothing inside
  declare(inner);
  result_.has.renamed_symbol = true;
  auto& s = r.state;
  auto const nested_node = add_node(s, inner_graph->name, sdfg::nested_sdfg{});
  for (std::size_t k = 0; k < connectors; ++k) {
    auto const& x = inner.containers[k];
    if (!x.used) continue;
    std::string const& outer_name = c.containers[x.outer].name;
    node.in_connectors.push_back(x.name);
    add_edge(s, add_access(c, s, x.outer), "", nested_node, x.name,
             part(outer_name, x.outer_subset));
    if (!x.written) continue;
    node.out_connectors.push_back(x.name);
    add_edge(s, nested_node, x.name, add_access(c, s, x.outer), "",
             part(outer_name, x.outer_subset));
    c.containers[x.outer].written = true;
    if (device_scalars_.contains({inner.graph, x.name}))
      device_scalars_.insert({c.graph, outer_name});
  }
  node.body = std::move(inner_graph);
  s.state.nodes[nested_node].content = std::move(node);
  close_state(r);
}

void program_builder::sequence(context& c, open_region& r, std::vector<block_spec> const& blocks) {
  for (auto const& b : blocks) {
    switch (b.kind) {
    case block_kind::state:
      for (auto const& op : b.ops) operation(c, r, op);
      close_state(r);
      break;
    case block_kind::assignment:
      assignment_block(c, r, b);
      break;
    case block_kind::loop:
    case block_kind::while_loop:
      loop_block(c, r, b);
      break;
    case block_kind::conditional:
      conditional(c, r, b);
      break;
    case block_kind::nested:
      nested_block(c, r, b);
      break;
    case block_kind::leave:
      leave_block(c, r, b);
      break;
    }
  }
}

void program_builder::finish(open_region& r) {
  close_state(r);
  if (r.region->blocks.empty() || !r.assignments.empty()) append(r, sdfg::block{});
}

void program_builder::region(context& c, std::vector<block_spec> const& blocks,
                             sdfg::region& target) {
  open_region r{&target, {}, {}};
  sequence(c, r, blocks);
  finish(r);
}

} // namespace assay::fuzz
