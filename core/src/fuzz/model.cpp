#include "fuzz/model.hpp"

#include <algorithm>
#include <stdexcept>

#include "assay/mix.hpp"

namespace assay::fuzz {
namespace {

constexpr std::uint64_t poison = 0xbadc0ffee0ddf00dULL;

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  std::int64_t const r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

} // namespace

sequential_model::sequential_model(sdfg::graph const& graph, symbol_values symbols,
                                   std::map<std::string, words> arguments)
    : graph_(graph), symbols_(std::move(symbols)), memory_(std::move(arguments)) {}

void sequential_model::call() {
  scope s;
  s.graph = &graph_;
  s.symbols = symbols_;
  for (auto const& [name, d] : graph_.arrays) {
    auto& content = d.transient ? s.transients[name] : memory_.at(name);
    if (d.transient)
      content.assign(static_cast<std::size_t>(std::max<std::int64_t>(0, value(s, d.total_size))),
                     poison);
    s.containers[name] = bound(s, d, content, {graph_.id, name});
  }
  // A container that any access node marks starts as zeros.
  std::vector<sdfg::region const*> pending{&graph_.root};
  while (!pending.empty()) {
    auto const* const r = pending.back();
    pending.pop_back();
    for (auto const& b : r->blocks) {
      if (auto const* state = std::get_if<sdfg::state>(&b.content))
        for (auto const& node : state->nodes)
          if (auto const* access = std::get_if<sdfg::access_node>(&node.content);
              access != nullptr && access->zero_fill)
            std::ranges::fill(s.transients.at(access->data), 0);
      if (auto const* loop = std::get_if<sdfg::loop_region>(&b.content))
        pending.push_back(loop->body.get());
      if (auto const* choice = std::get_if<sdfg::conditional_block>(&b.content))
        for (auto const& branch : choice->branches) pending.push_back(branch.body.get());
    }
  }
  run(s, graph_.root);
}

sequential_model::binding sequential_model::bound(scope const& s, sdfg::descriptor const& d,
                                                  words& memory,
                                                  std::pair<int, std::string> origin) {
  binding b;
  b.memory = &memory;
  b.origin = std::move(origin);
  for (auto const& stride : d.strides) b.strides.push_back(value(s, stride));
  for (auto const& size : d.shape) b.shape.push_back(value(s, size));
  b.host_scalar = d.kind == sdfg::descriptor_kind::scalar;
  return b;
}

std::int64_t sequential_model::value(scope const& s, expression const& e) {
  auto const argument = [&](std::size_t k) { return value(s, e->arguments.at(k)); };
  switch (e->kind) {
  case expression_kind::integer:
  case expression_kind::boolean:
    return e->integer_value;
  case expression_kind::name: {
    if (auto const found = s.symbols.find(e->text); found != s.symbols.end()) return found->second;
    auto const found = s.containers.find(e->text);
    if (found == s.containers.end()) throw std::logic_error("model: no value for " + e->text);
    return static_cast<std::int64_t>(
        found->second.memory->at(static_cast<std::size_t>(found->second.offset)));
  }
  case expression_kind::unary: {
    if (e->text == "not") return argument(0) == 0;
    if (e->text == "-") return -argument(0);
    break;
  }
  case expression_kind::binary: {
    auto const& op = e->text;
    if (op == "and") return argument(0) != 0 && argument(1) != 0;
    if (op == "or") return argument(0) != 0 || argument(1) != 0;
    std::int64_t const a = argument(0), b = argument(1);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "%") return floor_mod(a, b);
    if (op == "<") return a < b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    break;
  }
  default:
    break;
  }
  throw std::logic_error("model: cannot evaluate " + to_text(e));
}

std::vector<std::int64_t> sequential_model::offsets(scope const& s, binding const& b,
                                                    sdfg::subset const& where) {
  std::vector<std::int64_t> result{b.offset};
  for (std::size_t d = 0; d < where.size(); ++d) {
    std::int64_t const first = value(s, where[d].begin), last = value(s, where[d].end);
    std::int64_t const step = value(s, where[d].step);
    std::vector<std::int64_t> next;
    for (auto const base : result)
      for (std::int64_t i = first; i <= last; i += step) {
        if (i < 0 || i >= b.shape.at(d)) throw std::logic_error("model: index out of bounds");
        next.push_back(base + i * b.strides.at(d));
      }
    result = std::move(next);
  }
  return result;
}

sdfg::subset sequential_model::whole(sdfg::descriptor const& d) {
  sdfg::subset all;
  for (auto const& size : d.shape)
    all.push_back({expression::integer(0), expression::binary("-", size, expression::integer(1)),
                   expression::integer(1)});
  return all;
}

void sequential_model::touch(scope const& s, sdfg::memlet const& m, touches& all) {
  if (!m.data) return;
  auto const& b = s.containers.at(*m.data);
  auto& t = all[b.origin];
  t.memory = b.memory;
  t.host_scalar = b.host_scalar;
  auto const more = offsets(s, b, m.subset.value_or(whole(*s.graph->find(*m.data))));
  t.offsets.insert(t.offsets.end(), more.begin(), more.end());
  std::ranges::sort(t.offsets);
  t.offsets.erase(std::ranges::unique(t.offsets).begin(), t.offsets.end());
}

void sequential_model::compute(scope& s, sdfg::state const& state, std::size_t first,
                               std::size_t last) {
  if (auto const* map = std::get_if<sdfg::map_entry>(&state.nodes[first].content))
    for (auto const& r : map->ranges)
      if (value(s, r.end) < value(s, r.begin)) return;
  touches reads, writes, sums;
  for (auto const& e : state.edges) {
    if (e.target == first) touch(s, e.memlet, reads);
    if (e.source == last) touch(s, e.memlet, e.memlet.conflict_resolution.empty() ? writes : sums);
  }
  std::uint64_t hash = mix_seed(state.nodes[first].place);
  for (bool const by_value : {true, false})
    for (auto const& [origin, t] : reads)
      if (t.host_scalar == by_value)
        for (auto const offset : t.offsets)
          hash = mix(hash, t.memory->at(static_cast<std::size_t>(offset)));
  for (auto const& [origin, t] : writes)
    for (std::size_t i = 0; i < t.offsets.size(); ++i)
      t.memory->at(static_cast<std::size_t>(t.offsets[i])) = mix(hash, i);
  for (auto const& [origin, t] : sums)
    for (std::size_t i = 0; i < t.offsets.size(); ++i)
      t.memory->at(static_cast<std::size_t>(t.offsets[i])) += mix(hash, i);
}

void sequential_model::copy(scope& s, sdfg::state const& state, sdfg::edge const& e) {
  auto const& from = std::get<sdfg::access_node>(state.nodes[e.source].content).data;
  auto const& to = std::get<sdfg::access_node>(state.nodes[e.target].content).data;
  bool const names_source = e.memlet.data == from;
  auto const& given = e.memlet.subset;
  auto const& other = e.memlet.other_subset;
  auto const source = offsets(s, s.containers.at(from),
                              (names_source ? given : other).value_or(whole(*s.graph->find(from))));
  auto const target = offsets(s, s.containers.at(to),
                              (names_source ? other : given).value_or(whole(*s.graph->find(to))));
  if (source.size() != target.size()) throw std::logic_error("model: copy of different sizes");
  words values;
  for (auto const offset : source)
    values.push_back(s.containers.at(from).memory->at(static_cast<std::size_t>(offset)));
  for (std::size_t k = 0; k < values.size(); ++k)
    s.containers.at(to).memory->at(static_cast<std::size_t>(target[k])) = values[k];
}

void sequential_model::run(scope& s, sdfg::state const& state) {
  // Any topological order has the same result: operations without a path between them do not
  // conflict.
  std::vector<std::size_t> waiting(state.nodes.size(), 0);
  for (auto const& e : state.edges) ++waiting[e.target];
  std::vector<std::size_t> ready;
  for (std::size_t n = state.nodes.size(); n-- > 0;)
    if (waiting[n] == 0) ready.push_back(n);
  while (!ready.empty()) {
    std::size_t const n = ready.back();
    ready.pop_back();
    auto const& node = state.nodes[n];
    if (!node.scope_entry) {
      if (std::holds_alternative<sdfg::access_node>(node.content)) {
        for (auto const& e : state.edges)
          if (e.target == n &&
              std::holds_alternative<sdfg::access_node>(state.nodes[e.source].content))
            copy(s, state, e);
      } else if (std::holds_alternative<sdfg::map_entry>(node.content)) {
        compute(s, state, n, node.scope_exit.value());
      } else if (std::holds_alternative<sdfg::tasklet>(node.content)) {
        compute(s, state, n, n);
      } else if (std::holds_alternative<sdfg::nested_sdfg>(node.content)) {
        run_nested(s, state, n);
      }
    }
    for (auto const& e : state.edges)
      if (e.source == n && --waiting[e.target] == 0) ready.push_back(e.target);
  }
}

void sequential_model::run_nested(scope& s, sdfg::state const& state, std::size_t node) {
  auto const& nested = std::get<sdfg::nested_sdfg>(state.nodes[node].content);
  scope inner;
  inner.graph = nested.body.get();
  for (auto const& [name, outer] : nested.symbol_mapping) inner.symbols[name] = value(s, outer);
  std::map<std::string, std::pair<std::string, sdfg::subset>> passed;
  for (auto const& e : state.edges) {
    auto const& connector = e.target == node ? e.target_connector : e.source_connector;
    if ((e.target == node || e.source == node) && e.memlet.data)
      passed[connector] = {*e.memlet.data, e.memlet.subset.value()};
  }
  for (auto const& [name, d] : nested.body->arrays) {
    if (auto const found = passed.find(name); found != passed.end()) {
      auto const& outer = s.containers.at(found->second.first);
      binding b = bound(inner, d, *outer.memory, outer.origin);
      b.host_scalar = outer.host_scalar;
      b.offset = outer.offset;
      for (std::size_t k = 0; k < found->second.second.size(); ++k)
        b.offset += value(s, found->second.second[k].begin) * outer.strides.at(k);
      inner.containers[name] = b;
    } else {
      auto& content = inner.transients[name];
      content.assign(
          static_cast<std::size_t>(std::max<std::int64_t>(0, value(inner, d.total_size))), poison);
      inner.containers[name] = bound(inner, d, content, {nested.body->id, name});
    }
  }
  run(inner, nested.body->root);
}

void sequential_model::assign(scope& s, std::vector<statement> const& code) {
  for (auto const& line : code) s.symbols[line.target->text] = value(s, line.value);
}

void sequential_model::run(scope& s, sdfg::loop_region const& loop) {
  auto const holds = [&] { return value(s, loop.condition.value()) != 0; };
  assign(s, loop.init);
  if (!loop.inverted) {
    for (; holds(); assign(s, loop.update))
      if (run(s, *loop.body) == flow::leave_loop) return;
    return;
  }
  for (;;) {
    if (run(s, *loop.body) == flow::leave_loop) return;
    if (loop.update_before_condition) assign(s, loop.update);
    if (!holds()) return;
    if (!loop.update_before_condition) assign(s, loop.update);
  }
}

sequential_model::flow sequential_model::run(scope& s, sdfg::region const& region) {
  for (std::size_t at = region.start;;) {
    auto const& block = region.blocks.at(at);
    if (auto const* state = std::get_if<sdfg::state>(&block.content)) {
      run(s, *state);
    } else if (auto const* loop = std::get_if<sdfg::loop_region>(&block.content)) {
      run(s, *loop);
    } else if (auto const* choice = std::get_if<sdfg::conditional_block>(&block.content)) {
      for (auto const& branch : choice->branches)
        if (!branch.condition || value(s, *branch.condition) != 0) {
          if (auto const end = run(s, *branch.body); end != flow::next) return end;
          break;
        }
    } else if (auto const* jump = std::get_if<sdfg::jump>(&block.content)) {
      return *jump == sdfg::jump::break_loop ? flow::leave_loop : flow::next_iteration;
    } else {
      throw std::logic_error("model: block that the generator does not make");
    }
    sdfg::interstate_edge const* next = nullptr;
    for (auto const& e : region.edges)
      if (e.source == at && next == nullptr && (!e.condition || value(s, *e.condition) != 0))
        next = &e;
    if (next == nullptr) return flow::next;
    symbol_values assigned;
    for (auto const& [name, e] : next->assignments) assigned[name] = value(s, e);
    for (auto const& [name, v] : assigned) s.symbols[name] = v;
    at = next->target;
  }
}

} // namespace assay::fuzz
