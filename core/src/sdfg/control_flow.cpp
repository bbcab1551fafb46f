#include "sdfg/control_flow.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "assay/error.hpp"
#include "sdfg/parse.hpp"

namespace assay::sdfg {
namespace {

/// Every block has at most one edge out, and all blocks are met on the way.
bool is_line(region const& r) {
  std::vector<std::size_t> next(r.blocks.size(), r.blocks.size());
  for (auto const& e : r.edges) {
    if (next[e.source] != r.blocks.size()) return false;
    next[e.source] = e.target;
  }
  std::vector<bool> seen(r.blocks.size(), false);
  std::size_t met = 0;
  for (auto at = r.start; at < r.blocks.size() && !seen[at]; at = next[at], ++met) seen[at] = true;
  if (met != r.blocks.size()) return false;
  // A line that comes back to a block it has met is none.
  return std::ranges::count(next, r.blocks.size()) == 1;
}

bool all_lines(graph const&);

bool all_lines(region const& r) {
  if (!r.blocks.empty() && !is_line(r)) return false;
  return std::ranges::all_of(r.blocks, [](block const& b) {
    if (auto const* s = std::get_if<state>(&b.content))
      return std::ranges::all_of(s->nodes, [](node const& n) {
        auto const* inner = std::get_if<nested_sdfg>(&n.content);
        return inner == nullptr || all_lines(*inner->body);
      });
    if (auto const* l = std::get_if<loop_region>(&b.content)) return all_lines(*l->body);
    if (auto const* p = std::get_if<plain_region>(&b.content)) return all_lines(*p->body);
    if (auto const* c = std::get_if<conditional_block>(&b.content))
      return std::ranges::all_of(
          c->branches, [](conditional_branch const& one) { return all_lines(*one.body); });
    return true;
  });
}

bool returns(region const&);

/// A return stands in the block, nested SDFGs apart.
bool returns(block const& b) {
  if (auto const* kind = std::get_if<jump>(&b.content)) return *kind == jump::return_program;
  if (auto const* l = std::get_if<loop_region>(&b.content)) return returns(*l->body);
  if (auto const* p = std::get_if<plain_region>(&b.content)) return returns(*p->body);
  auto const* c = std::get_if<conditional_block>(&b.content);
  return c != nullptr && std::ranges::any_of(c->branches, [](conditional_branch const& one) {
           return returns(*one.body);
         });
}

bool returns(region const& r) {
  return std::ranges::any_of(r.blocks, [](block const& b) { return returns(b); });
}

bool all_lines(graph const& g) { return all_lines(g.root) && !returns(g.root); }

/// `b` holds exactly where `a` does not, as far as their text shows.
bool are_opposite(expression const& a, expression const& b) {
  auto const negates = [](expression const& x, expression const& y) {
    return x->kind == expression_kind::unary && x->text == "not" && x->arguments.at(0) == y;
  };
  if (negates(a, b) || negates(b, a)) return true;
  if (a->kind != expression_kind::binary || b->kind != expression_kind::binary) return false;
  if (!(a->arguments.at(0) == b->arguments.at(0) && a->arguments.at(1) == b->arguments.at(1)))
    return false;
  static std::map<std::string, std::string> const opposite{{"==", "!="}, {"!=", "=="}, {"<", ">="},
                                                           {">=", "<"},  {">", "<="},  {"<=", ">"}};
  auto const found = opposite.find(a->text);
  return found != opposite.end() && found->second == b->text;
}

block empty_state(std::string label, std::string place) {
  return {std::move(label), std::move(place), state{}};
}

block jump_block(jump kind, std::string place) { return {"jump", std::move(place), kind}; }

/// A region under construction: blocks in a line.
struct line {
  region made;

  void append(block b, std::vector<std::pair<std::string, expression>> assignments = {},
              std::string const& place = {}, std::optional<expression> condition = {}) {
    bool const carries = !assignments.empty() || condition;
    if (made.blocks.empty() && carries) made.blocks.push_back(empty_state("start", place));
    made.blocks.push_back(std::move(b));
    auto const last = made.blocks.size() - 1;
    if (last > 0)
      made.edges.push_back({last - 1, last, std::move(condition), std::move(assignments), place});
  }

  [[nodiscard]] std::shared_ptr<region const> done(std::string const& place) && {
    if (made.blocks.empty()) made.blocks.push_back(empty_state("nothing", place));
    return std::make_shared<region const>(std::move(made));
  }
};

/// Returns of one graph as a variable that is set where they stood and asked before what would
/// follow; loops are left by a break.
class return_removal {
public:
  explicit return_removal(std::string flag) : flag_(std::move(flag)) {}

  /// \param r  a line.
  [[nodiscard]] region rewritten(region const& r, std::string const& place, bool in_loop,
                                 bool is_root) const {
    line out;
    if (is_root) {
      out.append(empty_state("begin", place));
      pending_ = {{flag_, expression::integer(0)}};
    }
    interstate_edge const* via = nullptr;
    rest(r, r.start, via, place, in_loop, out);
    return std::move(out.made);
  }

private:
  std::string flag_;
  mutable std::vector<std::pair<std::string, expression>> pending_; ///< for the next edge

  /// Blocks from `at` on.
  void rest(region const& r, std::size_t at, interstate_edge const* via, std::string const& place,
            bool in_loop, line& out) const {
    while (true) {
      auto assignments = std::exchange(pending_, {});
      std::optional<expression> condition;
      if (via != nullptr) {
        assignments.insert(assignments.end(), via->assignments.begin(), via->assignments.end());
        condition = via->condition;
      }
      auto const next =
          std::ranges::find_if(r.edges, [&](interstate_edge const& e) { return e.source == at; });
      auto const& b = r.blocks[at];
      if (std::holds_alternative<jump>(b.content) && returns(b)) {
        assignments.emplace_back(flag_, expression::integer(1));
        out.append(empty_state("return", b.place), std::move(assignments), b.place, condition);
        if (in_loop) out.append(jump_block(jump::break_loop, b.place));
        return;
      }
      out.append(returns(b) ? without_returns(b, in_loop) : b, std::move(assignments), b.place,
                 condition);
      bool const ends = next == r.edges.end();
      if (returns(b) && (!ends || in_loop)) {
        auto const flag = expression::name(flag_);
        conditional_block go_on;
        if (!ends) {
          line inner;
          rest(r, next->target, &*next, place, in_loop, inner);
          go_on.branches.push_back({expression::binary("==", flag, expression::integer(0)),
                                    std::move(inner).done(place)});
        }
        if (in_loop) {
          line leave;
          leave.append(jump_block(jump::break_loop, b.place));
          go_on.branches.push_back(
              {ends ? std::optional(expression::binary("!=", flag, expression::integer(0)))
                    : std::nullopt,
               std::move(leave).done(place)});
        }
        out.append({"returned", b.place, std::move(go_on)});
        return;
      }
      if (ends) return;
      via = &*next;
      at = next->target;
    }
  }

  [[nodiscard]] block without_returns(block b, bool in_loop) const {
    auto const inner = [&](std::shared_ptr<region const> const& body, bool loop) {
      return std::make_shared<region const>(rewritten(*body, b.place, loop, false));
    };
    if (auto* l = std::get_if<loop_region>(&b.content)) l->body = inner(l->body, true);
    if (auto* p = std::get_if<plain_region>(&b.content)) p->body = inner(p->body, in_loop);
    if (auto* c = std::get_if<conditional_block>(&b.content))
      for (auto& branch : c->branches)
        if (returns(*branch.body)) branch.body = inner(branch.body, in_loop);
    return b;
  }
};

/// Structures one region whose inner regions are lines. Block `exit` is the end of the region.
class region_structure {
public:
  region_structure(region const& r, std::string place)
      : r_(r), place_(std::move(place)), exit_(r.blocks.size()) {
    out_.resize(exit_ + 1);
    for (auto const& e : r.edges) out_[e.source].push_back(&e);
    for (auto& edges : out_) { // what follows an edge that is always taken is never reached
      auto const always =
          std::ranges::find_if(edges, [](interstate_edge const* e) { return !e->condition; });
      if (always != edges.end()) edges.erase(always + 1, edges.end());
    }
    find_reached();
    dominators_ = dominators(r.start, false);
    postdominators_ = dominators(exit_, true);
  }

  /// \returns nothing where the edges have no structured form.
  std::optional<region> structured() {
    placed_.assign(exit_, false);
    line whole;
    if (!sequence(r_.start, nullptr, exit_, whole)) return std::nullopt;
    return std::move(whole.made);
  }

  /// A loop over the variable, whose value is the next block's index, below zero at the end.
  [[nodiscard]] region dispatched(std::string const& variable) const {
    auto const next = expression::name(variable);
    conditional_block choice;
    for (std::size_t b = 0; b < exit_; ++b) {
      if (!reached_[b]) continue;
      line body;
      body.append(r_.blocks[b]);
      conditional_block leave;
      bool has_else = false;
      for (auto const* e : out_[b]) {
        line arm;
        auto assignments = e->assignments;
        assignments.emplace_back(variable,
                                 expression::integer(static_cast<std::int64_t>(e->target)));
        arm.append(empty_state("next", e->place), std::move(assignments), e->place);
        leave.branches.push_back({e->condition, std::move(arm).done(e->place)});
        has_else = has_else || !e->condition;
      }
      if (!has_else) {
        line arm;
        arm.append(empty_state("end", place_), {{variable, expression::integer(-1)}}, place_);
        leave.branches.push_back({std::nullopt, std::move(arm).done(place_)});
      }
      body.append({"edges", r_.blocks[b].place, std::move(leave)});
      choice.branches.push_back(
          {expression::binary("==", next, expression::integer(static_cast<std::int64_t>(b))),
           std::move(body).done(place_)});
    }
    line turn;
    turn.append({"blocks", place_, std::move(choice)});
    loop_region loop;
    loop.condition = expression::binary(">=", next, expression::integer(0));
    loop.body = std::move(turn).done(place_);
    line whole;
    whole.append({"state machine", place_, std::move(loop)},
                 {{variable, expression::integer(static_cast<std::int64_t>(r_.start))}}, place_);
    return std::move(whole.made);
  }

  /// A block on no way from the start, or null.
  [[nodiscard]] block const* not_reached() const {
    for (std::size_t b = 0; b < exit_; ++b)
      if (!reached_[b]) return &r_.blocks[b];
    return nullptr;
  }

  /// A jump that stands in the region itself would leave the dispatching loop instead of its own.
  [[nodiscard]] bool jumps() const {
    return std::ranges::any_of(r_.blocks, [](block const& b) { return contains_jump(b); });
  }

private:
  region const& r_;
  std::string place_;
  std::size_t exit_;
  std::vector<std::vector<interstate_edge const*>> out_;
  std::vector<bool> reached_, placed_;
  std::vector<std::set<std::size_t>> dominators_, postdominators_;

  static bool contains_jump(block const& b) {
    if (std::holds_alternative<jump>(b.content)) return true;
    auto const in = [](region const& r) { return std::ranges::any_of(r.blocks, contains_jump); };
    if (auto const* c = std::get_if<conditional_block>(&b.content))
      return std::ranges::any_of(c->branches, [&](auto const& one) { return in(*one.body); });
    auto const* p = std::get_if<plain_region>(&b.content);
    return p != nullptr && in(*p->body);
  }

  /// One of the edges out of the block is always taken.
  [[nodiscard]] bool is_exhaustive(std::size_t b) const {
    auto const& edges = out_[b];
    if (!edges.empty() && !edges.back()->condition) return true;
    return edges.size() == 2 && are_opposite(*edges[0]->condition, *edges[1]->condition);
  }

  [[nodiscard]] std::vector<std::size_t> successors(std::size_t b) const {
    std::vector<std::size_t> result;
    if (b == exit_) return result;
    for (auto const* e : out_[b]) result.push_back(e->target);
    if (!is_exhaustive(b)) result.push_back(exit_);
    return result;
  }

  void find_reached() {
    reached_.assign(exit_ + 1, false);
    std::vector<std::size_t> waiting{r_.start};
    while (!waiting.empty()) {
      auto const b = waiting.back();
      waiting.pop_back();
      if (reached_[b]) continue;
      reached_[b] = true;
      for (auto const next : successors(b)) waiting.push_back(next);
    }
  }

  /// Of each block: the blocks on all ways from `root` (backwards: to it).
  [[nodiscard]] std::vector<std::set<std::size_t>> dominators(std::size_t root,
                                                              bool backwards) const {
    std::set<std::size_t> all;
    for (std::size_t b = 0; b <= exit_; ++b)
      if (reached_[b]) all.insert(b);
    std::vector<std::set<std::size_t>> before(exit_ + 1), result(exit_ + 1, all);
    for (auto const b : all)
      for (auto const next : successors(b)) {
        if (backwards)
          before[b].insert(next);
        else
          before[next].insert(b);
      }
    result[root] = {root};
    for (bool changed = true; changed;) {
      changed = false;
      for (auto const b : all) {
        if (b == root) continue;
        auto joined = all;
        for (auto const p : before[b])
          std::erase_if(joined, [&](std::size_t x) { return !result[p].contains(x); });
        joined.insert(b);
        if (joined != result[b]) {
          result[b] = std::move(joined);
          changed = true;
        }
      }
    }
    return result;
  }

  /// Where all ways from a block meet first.
  [[nodiscard]] std::size_t join_after(std::size_t b) const {
    for (auto const candidate : postdominators_[b]) {
      if (candidate == b) continue;
      bool const nearest = std::ranges::all_of(postdominators_[b], [&](std::size_t other) {
        return other == b || postdominators_[candidate].contains(other);
      });
      if (nearest) return candidate;
    }
    return exit_;
  }

  /// The blocks of the loop that begins at `header`; empty where none does.
  [[nodiscard]] std::set<std::size_t> loop_of(std::size_t header) const {
    std::set<std::size_t> body;
    std::vector<std::size_t> waiting;
    for (auto const& e : r_.edges)
      if (e.target == header && reached_[e.source] && dominators_[e.source].contains(header))
        waiting.push_back(e.source);
    if (waiting.empty()) return body;
    body.insert(header);
    while (!waiting.empty()) {
      auto const b = waiting.back();
      waiting.pop_back();
      if (!body.insert(b).second) continue;
      for (auto const& e : r_.edges)
        if (e.target == b && reached_[e.source]) waiting.push_back(e.source);
    }
    return body;
  }

  static void take(interstate_edge const& e, line& into) {
    if (!e.assignments.empty()) into.append(empty_state("assign", e.place), e.assignments, e.place);
  }

  /// Blocks from `b` until `stop`, which is left out; `via` led to the first.
  bool sequence(std::size_t b, interstate_edge const* via, std::size_t stop, line& into) {
    for (;;) {
      if (via != nullptr) take(*via, into);
      via = nullptr;
      if (b == stop) return true;
      if (b == exit_ || placed_[b]) return false;
      placed_[b] = true;
      if (auto const body = loop_of(b); !body.empty()) {
        if (!loop(b, body, into)) return false;
        std::vector<interstate_edge const*> exits;
        for (auto const* e : out_[b])
          if (!body.contains(e->target)) exits.push_back(e);
        if (exits.empty()) { // left by no edge: the end of the region follows
          b = exit_;
        } else if (exits.size() == 1 && is_exhaustive(b)) {
          via = exits.front();
          b = via->target;
        } else {
          auto const join = join_of(exits, is_exhaustive(b));
          if (!branches(exits, join, into, r_.blocks[b].place)) return false;
          b = join;
        }
        continue;
      }
      into.append(r_.blocks[b]);
      auto const& edges = out_[b];
      if (edges.size() == 1 && !edges.front()->condition) {
        via = edges.front();
        b = via->target;
        continue;
      }
      auto const join = edges.empty() ? exit_ : join_after(b);
      if (!edges.empty() && !branches(edges, join, into, r_.blocks[b].place)) return false;
      b = join;
    }
  }

  [[nodiscard]] std::size_t join_of(std::vector<interstate_edge const*> const& edges,
                                    bool exhaustive) const {
    if (!exhaustive) return exit_;
    std::set<std::size_t> common = postdominators_[edges.front()->target];
    for (auto const* e : edges)
      std::erase_if(common, [&](std::size_t x) { return !postdominators_[e->target].contains(x); });
    for (auto const candidate : common)
      if (std::ranges::all_of(common, [&](std::size_t other) {
            return postdominators_[candidate].contains(other);
          }))
        return candidate;
    return exit_;
  }

  bool branches(std::vector<interstate_edge const*> const& edges, std::size_t join, line& into,
                std::string const& place) {
    conditional_block choice;
    for (auto const* e : edges) {
      line arm;
      if (!sequence(e->target, e, join, arm)) return false;
      bool const last_of_all = e == edges.back() && edges.size() == 2 && e->condition &&
                               edges.front()->condition &&
                               are_opposite(*edges.front()->condition, *e->condition);
      choice.branches.push_back(
          {last_of_all ? std::nullopt : e->condition, std::move(arm).done(e->place)});
    }
    into.append({"branch", place, std::move(choice)});
    return true;
  }

  /// A loop that is left at its first block only, or at its last one only.
  bool loop(std::size_t header, std::set<std::size_t> const& body, line& into) {
    std::set<std::size_t> leaving;
    for (auto const b : body)
      for (auto const next : successors(b))
        if (!body.contains(next)) leaving.insert(b);
    if (std::ranges::any_of(body, [&](std::size_t b) { return contains_jump(r_.blocks[b]); }))
      return false;
    if (leaving.size() > 1 || (leaving.size() == 1 && !leaving.contains(header))) return false;
    auto const& place = r_.blocks[header].place;
    auto const* s = std::get_if<state>(&r_.blocks[header].content);
    bool const is_guard = s != nullptr && s->nodes.empty();
    auto const& edges = out_[header];
    auto const enters = [&](interstate_edge const* e) { return body.contains(e->target); };
    loop_region repeat;
    line inner;
    if (is_guard && std::ranges::count_if(edges, enters) == 1 &&
        (enters(edges.front()) || is_exhaustive(header)) && edges.size() <= 2) {
      auto const* in = *std::ranges::find_if(edges, enters);
      repeat.condition = in->condition;
      if (!in->condition && edges.size() == 2) // after the edge that leaves
        repeat.condition = expression::unary("not", *edges.front()->condition);
      if (!sequence(in->target, in, header, inner)) return false;
    } else {
      inner.append(r_.blocks[header]);
      conditional_block choice;
      bool has_else = false;
      for (auto const* e : edges) {
        line arm;
        if (!enters(e))
          arm.append(jump_block(jump::break_loop, e->place));
        else if (!sequence(e->target, e, header, arm))
          return false;
        has_else = has_else || !e->condition;
        choice.branches.push_back({e->condition, std::move(arm).done(e->place)});
      }
      if (!has_else) {
        line arm;
        arm.append(jump_block(jump::break_loop, place));
        choice.branches.push_back({std::nullopt, std::move(arm).done(place)});
      }
      inner.append({"edges", place, std::move(choice)});
    }
    repeat.body = std::move(inner).done(place);
    into.append({r_.blocks[header].label, place, std::move(repeat)});
    return true;
  }
};

/// Rewrites a graph from the inside out.
class rewriter {
public:
  graph rewritten(graph const& g) {
    graph result = g;
    result.root = rewritten(g.root, g.place, result);
    if (returns(result.root) && all_lines(result.root)) {
      auto const flag = fresh_variable(result);
      result.symbols.emplace(flag, dtype::int64);
      result.root = return_removal(flag).rewritten(result.root, g.place, false, true);
    }
    return result;
  }

private:
  static std::string fresh_variable(graph const& g) {
    for (int i = 0;; ++i) {
      auto name = "assay_block_" + std::to_string(i);
      if (!g.symbols.contains(name) && g.find(name) == nullptr) return name;
    }
  }

  region rewritten(region const& original, std::string const& place, graph& owner) {
    region r = original;
    for (auto& b : r.blocks) {
      auto const inner = [&](std::shared_ptr<region const> const& body) {
        return std::make_shared<region const>(rewritten(*body, b.place, owner));
      };
      if (auto* s = std::get_if<state>(&b.content)) {
        for (auto& n : s->nodes)
          if (auto* nested = std::get_if<nested_sdfg>(&n.content))
            if (!all_lines(*nested->body))
              nested->body = std::make_shared<graph const>(rewritten(*nested->body));
      } else if (auto* l = std::get_if<loop_region>(&b.content)) {
        l->body = inner(l->body);
      } else if (auto* p = std::get_if<plain_region>(&b.content)) {
        p->body = inner(p->body);
      } else if (auto* c = std::get_if<conditional_block>(&b.content)) {
        for (auto& branch : c->branches) branch.body = inner(branch.body);
      }
    }
    if (r.blocks.empty() || is_line(r)) return r;
    region_structure edges(r, place);
    if (auto const* lost = edges.not_reached())
      throw error(errc::unsupported,
                  "block '" + printable(lost->label) + "', which no edge leads to", lost->place);
    if (auto made = edges.structured()) return std::move(*made);
    if (edges.jumps()) return r; // lowering names it
    auto const variable = fresh_variable(owner);
    owner.symbols.emplace(variable, dtype::int64);
    return edges.dispatched(variable);
  }
};

} // namespace

std::optional<graph> with_structured_control_flow(graph const& g) {
  if (all_lines(g)) return std::nullopt;
  return rewriter().rewritten(g);
}

} // namespace assay::sdfg
