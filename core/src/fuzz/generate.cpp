#include "fuzz/generate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "assay/error.hpp"

namespace assay::fuzz {
namespace {

using assay::sdfg::descriptor_kind;
using assay::sdfg::memlet;
using assay::sdfg::range;
using assay::sdfg::subset;

expression num(std::int64_t v) { return expression::integer(v); }
expression sym(std::string const& name) { return expression::name(name); }
expression less(expression const& a, expression const& b) { return expression::binary("<", a, b); }
expression equal(expression const& a, expression const& b) {
  return expression::binary("==", a, b);
}
expression modulo(expression const& a, std::int64_t b) {
  return expression::binary("%", a, num(b));
}
range point(expression const& e) { return {e, e, num(1)}; }
range from_to(expression const& first, expression const& last, std::int64_t step = 1) {
  return {first, last, num(step)};
}

/// The sizes that arrays have: by symbol, two-dimensional, constant, or perhaps empty.
enum class shape_kind : std::uint8_t { n, m, nm, five, z };

enum class place_kind : std::uint8_t { device, host, scalar };

struct container {
  std::string name;
  shape_kind shape = shape_kind::n;
  place_kind where = place_kind::device;
  bool transient = false;
  bool defined = false; ///< on every path to here, in this call
  bool writable = true;
  bool used = false, written = false;
  std::size_t outer = 0; ///< of a connector: the container of the outer SDFG
  subset outer_subset{};
};

/// What is visible inside one SDFG.
struct context {
  sdfg::graph* graph = nullptr;
  std::string n, m, z;
  std::vector<container> containers;
  std::vector<std::string> rows;   ///< symbols with values in [0, n)
  std::vector<std::string> smalls; ///< symbols with values in [0, 3]
  bool is_root = false;
  int nesting = 0;
  int loops = 0;     ///< open in this SDFG: their counters have different names
  int all_loops = 0; ///< open in the outer ones too
};

struct definedness {
  std::vector<bool> containers;
  std::vector<std::string> rows, smalls;
};

class builder {
public:
  explicit builder(program_spec const& spec) : spec_(spec) {}

  generated_program run() {
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
      c.containers.push_back({.name = "H" + suffix(shape),
                              .shape = shape,
                              .where = place_kind::host,
                              .defined = true});
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

private:
  program_spec const& spec_;
  generated_program result_;
  int next_place_ = 0, next_graph_ = 1;

  static std::string suffix(shape_kind shape) {
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

  std::string fresh_place() { return "/elements/" + std::to_string(next_place_++); }

  // ---- descriptors ----------------------------------------------------------------------------

  static expression_list shape_of(context const& c, container const& x) {
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

  sdfg::descriptor descriptor_of(context const& c, container const& x) {
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

  /// Only what is used becomes part of the SDFG.
  void declare(context const& c) {
    for (auto const& x : c.containers)
      if (x.used) c.graph->arrays.emplace_back(x.name, descriptor_of(c, x));
  }

  // ---- choices --------------------------------------------------------------------------------

  template <typename Predicate>
  static std::optional<std::size_t> pick(context const& c, std::uint8_t number,
                                         Predicate const& fits) {
    std::vector<std::size_t> candidates;
    for (std::size_t k = 0; k < c.containers.size(); ++k)
      if (fits(c.containers[k])) candidates.push_back(k);
    if (candidates.empty()) return std::nullopt;
    return candidates[number % candidates.size()];
  }
  static std::optional<std::size_t> device_array(context const& c, std::uint8_t number,
                                                 bool defined) {
    return pick(c, number, [&](container const& x) {
      return x.where == place_kind::device && (x.defined || !defined);
    });
  }
  static expression row_of(context const& c, std::uint8_t number) {
    return c.rows.empty() ? num(0) : sym(c.rows[number % c.rows.size()]);
  }

  static definedness remembered(context const& c) {
    definedness d{{}, c.rows, c.smalls};
    for (auto const& x : c.containers) d.containers.push_back(x.defined);
    return d;
  }
  static void restore(context& c, definedness const& d) {
    for (std::size_t k = 0; k < d.containers.size(); ++k) c.containers[k].defined = d.containers[k];
    c.rows = d.rows;
    c.smalls = d.smalls;
  }

  // ---- states ---------------------------------------------------------------------------------

  /// One state under construction.
  struct open_state {
    sdfg::state state;
    std::map<std::size_t, std::size_t> latest;    ///< container to its newest access node
    std::map<std::size_t, std::set<int>> made_by; ///< access node to the operations before it
    int operations = 0;

    [[nodiscard]] bool has_readers(std::size_t node) const {
      return std::ranges::any_of(state.edges, [&](auto const& e) { return e.source == node; });
    }
  };

  /// A region under construction: a chain of blocks.
  struct open_region {
    sdfg::region* region;
    std::vector<std::pair<std::string, expression>> assignments; ///< for the next edge
    open_state state;
  };

  void append(open_region& r, sdfg::block block) {
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

  void close_state(open_region& r) {
    if (r.state.state.nodes.empty()) return;
    sdfg::block block;
    block.content = std::move(r.state.state);
    r.state = {};
    append(r, std::move(block));
  }

  std::size_t add_node(open_state& s, std::string label, decltype(sdfg::node::content) content) {
    sdfg::node n;
    n.label = std::move(label);
    n.place = fresh_place();
    n.content = std::move(content);
    s.state.nodes.push_back(std::move(n));
    return s.state.nodes.size() - 1;
  }
  std::size_t add_access(context& c, open_state& s, std::size_t id) {
    c.containers[id].used = true;
    if (c.containers[id].shape == shape_kind::z && c.containers[id].where != place_kind::scalar &&
        result_.symbols.at("Z") == 0)
      result_.has.zero_size = true;
    if (c.containers[id].where == place_kind::host && c.containers[id].transient)
      result_.has.host_transient = true;
    std::string const& name = c.containers[id].name;
    return add_node(s, name, sdfg::access_node{name, c.is_root && zero_filled_.contains(name)});
  }
  void add_edge(open_state& s, std::size_t source, std::string source_connector, std::size_t target,
                std::string target_connector, memlet m) {
    sdfg::edge e;
    e.source = source;
    e.target = target;
    e.source_connector = std::move(source_connector);
    e.target_connector = std::move(target_connector);
    e.memlet = std::move(m);
    e.place = fresh_place();
    s.state.edges.push_back(std::move(e));
  }
  static memlet part(std::string data, subset where) {
    memlet m;
    m.data = std::move(data);
    m.subset = std::move(where);
    return m;
  }

  /// Access nodes for one operation; starts a new state where this one would conflict without a
  /// path.
  struct ends {
    std::vector<std::size_t> sources; ///< access nodes
    std::size_t target = 0;
  };
  ends connect(context& c, open_region& r, std::vector<std::size_t> const& sources,
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

  // ---- maps -----------------------------------------------------------------------------------

  /// The iteration space of a map and what it writes in each iteration.
  struct iteration {
    std::vector<std::string> parameters;
    subset ranges;
    subset written_inside, written_outside;
    std::int64_t read_shift = 0;
    bool one_dimensional = true;
    shape_kind over = shape_kind::n; ///< one-dimensional: whose size the range follows
    expression row;                  ///< where a one-dimensional map works on a row
  };
  struct read_access {
    subset inside, outside;
    bool is_pointer = false;
  };

  static expression size_of(context const& c, shape_kind shape) {
    return shape_of(c, {.name = {}, .shape = shape}).front();
  }
  static expression last_of(context const& c, shape_kind shape) {
    return size_of(c, shape) - num(1);
  }
  static subset whole(context const& c, container const& x) {
    subset result;
    for (auto const& size : shape_of(c, x)) result.push_back(from_to(num(0), size - num(1)));
    return result;
  }

  /// Writes all of the target where `full`; else the variant may leave parts as they are.
  iteration iterate(context const& c, container const& target, op_spec const& op, bool full) const {
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
      it.written_outside = {
          {span.begin + num(write_shift), span.end + num(write_shift), span.step}};
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

  read_access reading(context const& c, iteration const& it, container const& source) const {
    if (source.where == place_kind::scalar) return {{point(num(0))}, {point(num(0))}, false};
    range const& first = it.ranges.front();
    if (it.one_dimensional) {
      expression const p = sym(it.parameters.front()) + num(it.read_shift);
      range const image{first.begin + num(it.read_shift), first.end + num(it.read_shift),
                        first.step};
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

  enum class body_kind : std::uint8_t { tasklet, nested_sdfg };

  void add_map(context& c, open_region& r, std::size_t target, iteration const& it,
               std::vector<std::size_t> const& sources, std::vector<read_access> const& reads,
               body_kind body, bool sums, sdfg::schedule schedule) {
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

  static sdfg::tasklet make_tasklet(std::vector<read_access> const& reads, std::string const& out,
                                    std::string extra = "1") {
    sdfg::tasklet t;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      std::string const in = "in" + std::to_string(k);
      t.in_connectors.push_back(in);
      std::string index = reads[k].is_pointer ? "[0" : "";
      for (std::size_t d = 1; reads[k].is_pointer && d < reads[k].inside.size(); ++d)
        index += ", 0";
      extra += " + " + in + index + (reads[k].is_pointer ? "]" : "");
    }
    t.out_connectors = {out};
    t.code.text = out + " = " + extra;
    return t;
  }

  /// Scalars in and out, one symbol with another name inside.
  sdfg::nested_sdfg make_kernel_sdfg(iteration const& it, std::vector<read_access> const& reads) {
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

  /// A target that the open state has not touched, so that operations stay side by side in it.
  static std::optional<std::size_t> untouched_array(context const& c, open_state const& s,
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
  /// A source; for large numbers one that an operation of the open state has produced.
  static std::optional<std::size_t> source_array(context const& c, open_state const& s,
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

  /// A second source: mostly one whose operation is independent of the first one's.
  static std::optional<std::size_t> joined_array(context const& c, open_state const& s,
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

  void map_op(context& c, open_region& r, op_spec const& op) {
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

  void stencil_op(context& c, open_region& r, op_spec const& op) {
    auto const target = pick(c, op.target, [](container const& x) {
      return x.where == place_kind::device && x.defined;
    });
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

  void reduce_op(context& c, open_region& r, op_spec const& op) {
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

  // ---- copies ---------------------------------------------------------------------------------

  void copy_op(context& c, open_region& r, op_spec const& op, place_kind from, place_kind to) {
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

  /// One element between a device array that surely has one and a host scalar.
  void element_copy(context& c, open_region& r, op_spec const& op, bool to_host) {
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

  // ---- host code ------------------------------------------------------------------------------

  void host_code_op(context& c, open_region& r, op_spec const& op) {
    auto const target = pick(c, op.target, [](container const& x) {
      return x.where == place_kind::scalar && x.writable;
    });
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

  void host_map_op(context& c, open_region& r, op_spec const& op) {
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
    add_map(c, r, *target, it, {*source}, {reading(c, it, c.containers[*source])},
            body_kind::tasklet, false, sdfg::schedule::sequential);
  }

  void operation(context& c, open_region& r, op_spec const& op) {
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

  // ---- control flow ---------------------------------------------------------------------------

  /// A defined host scalar; reads one back from the device where there is none.
  std::size_t defined_scalar(context& c, open_region& r, std::uint8_t number) {
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

  expression condition(context& c, open_region& r, block_spec const& b) {
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

  void assignment_block(context& c, open_region& r, block_spec const& b) {
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

  static statement assign_to(std::string const& name, expression value) {
    statement s;
    s.what = statement::kind::assign;
    s.target = sym(name);
    s.value = std::move(value);
    return s;
  }

  void loop_block(context& c, open_region& r, block_spec const& b) {
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

  void conditional(context& c, open_region& r, block_spec const& b) {
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

  void leave_block(context& c, open_region& r, block_spec const& b) {
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

  void nested_block(context& c, open_region& r, block_spec const& b) {
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

  void sequence(context& c, open_region& r, std::vector<block_spec> const& blocks) {
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

  /// A region has at least one block, and pending assignments get their edge.
  void finish(open_region& r) {
    close_state(r);
    if (r.region->blocks.empty() || !r.assignments.empty()) append(r, sdfg::block{});
  }

  void region(context& c, std::vector<block_spec> const& blocks, sdfg::region& target) {
    open_region r{&target, {}, {}};
    sequence(c, r, blocks);
    finish(r);
  }

  std::set<std::string> zero_filled_; ///< of the root
  /// Host scalars that hold what the device produced.
  std::set<std::pair<sdfg::graph const*, std::string>> device_scalars_;
};

} // namespace

generated_program build(program_spec const& spec) { return builder(spec).run(); }

namespace {

constexpr std::array op_names{"map",       "stencil",  "reduce",     "copy",
                              "upload",    "download", "read_back",  "send",
                              "host_code", "host_map", "kernel_sdfg"};
constexpr std::array block_names{"state",       "assignment", "loop", "while_loop",
                                 "conditional", "nested",     "leave"};
static_assert(op_names.size() == op_kind_count && block_names.size() == block_kind_count);

void print(std::ostream& out, std::vector<block_spec> const& blocks) {
  out << "{";
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto const& b = blocks[k];
    out << (k == 0 ? "" : ", ") << "{block_kind::" << block_names[static_cast<std::size_t>(b.kind)]
        << ", {";
    for (std::size_t o = 0; o < b.ops.size(); ++o) {
      auto const& op = b.ops[o];
      out << (o == 0 ? "" : ", ") << "{op_kind::" << op_names[static_cast<std::size_t>(op.kind)];
      for (int const number : {op.target, op.first, op.second, op.variant}) out << ", " << number;
      out << "}";
    }
    out << "}, " << int{b.choice} << ", " << int{b.other} << ", ";
    print(out, b.body);
    out << ", ";
    print(out, b.otherwise);
    out << "}";
  }
  out << "}";
}

} // namespace

std::ostream& operator<<(std::ostream& out, program_spec const& spec) {
  out << "program_spec{" << int{spec.n} << ", " << int{spec.m} << ", " << int{spec.z} << ", ";
  print(out, spec.blocks);
  return out << "}";
}

} // namespace assay::fuzz
