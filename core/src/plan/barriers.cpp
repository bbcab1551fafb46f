#include "plan/barriers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "plan/walk.hpp"

namespace assay::plan {
namespace {

using name_set = std::set<std::string>;

bool meet(name_set const& a, name_set const& b) {
  return std::ranges::any_of(a, [&](std::string const& name) { return b.contains(name); });
}

/// What the threads have done to memory that they share, since they last met.
struct accesses {
  name_set read, written;

  [[nodiscard]] bool is_empty() const { return read.empty() && written.empty(); }
  [[nodiscard]] bool conflicts_with(accesses const& later) const {
    return meet(written, later.read) || meet(written, later.written) || meet(read, later.written);
  }
  void add(accesses const& other) {
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

/// Whether threads do different things in it; other code has nothing that they could disagree
/// about.
bool deals_work(compute_block const& block) {
  return std::ranges::any_of(block, [](compute_statement const& s) {
    return std::visit(
        overloaded{[](thread_range const&) { return true; }, [](one_thread const&) { return true; },
                   [](compute_copy const& x) { return x.by_block; },
                   [](tasklet const& x) {
                     return std::ranges::any_of(x.outputs,
                                                [](connector const& c) { return c.by_one_thread; });
                   },
                   [](for_range const& x) { return deals_work(x.body); },
                   [](compute_loop const& x) { return deals_work(x.body); },
                   [](compute_scope const& x) { return deals_work(x.body); },
                   [](compute_branch const& x) {
                     return std::ranges::any_of(
                         x.branches, [](auto const& arm) { return deals_work(arm.second); });
                   },
                   [](auto const&) { return false; }},
        s.content);
  });
}

class inserter {
public:
  void block(compute_block& statements, accesses& open) {
    compute_block out;
    for (auto& s : statements) {
      auto const part = uniform_part(s);
      if (open.conflicts_with(part)) {
        out.push_back({barrier{}});
        open = {};
      }
      open.add(part);
      if (std::holds_alternative<compute_jump>(s.content) && !open.is_empty()) {
        out.push_back({barrier{}}); // what comes after the jump is not known here
        open = {};
      }
      inside(s, open);
      out.push_back(std::move(s));
    }
    statements = std::move(out);
  }

private:
  name_set private_; ///< locals of a thread
  std::map<std::string, name_set>
      memory_of_; ///< what a name of this kernel's reaches; absent: itself

  [[nodiscard]] name_set memory_of(name_set const& names) const {
    name_set result;
    for (auto const& name : names) {
      if (auto const found = memory_of_.find(name); found != memory_of_.end())
        result.insert(found->second.begin(), found->second.end());
      else if (!private_.contains(name))
        result.insert(name);
    }
    return result;
  }

  [[nodiscard]] accesses of_names(outer_names const& names) const {
    return {memory_of(names.used), memory_of(names.written)};
  }

  [[nodiscard]] accesses of_expression(expression const& e) const {
    return {memory_of(free_names(e)), {}};
  }

  /// The accesses of a statement without those of the statements that `inside` goes through.
  accesses uniform_part(compute_statement const& s) {
    return std::visit(overloaded{[&](declare_local const& x) {
                                   if (!x.shared) private_.insert(x.name);
                                   return accesses{};
                                 },
                                 [&](declare_symbol const& x) {
                                   private_.insert(x.name);
                                   return accesses{};
                                 },
                                 [&](let_symbol const& x) {
                                   private_.insert(x.name);
                                   return of_expression(x.value);
                                 },
                                 [&](let_pointer const& x) { return alias(x.name, x.base); },
                                 [&](let_reference const& x) { return alias(x.name, x.base); },
                                 [&](for_range const& x) {
                                   private_.insert(x.parameter);
                                   accesses bounds = of_expression(x.range.begin);
                                   bounds.add(of_expression(x.range.end));
                                   bounds.add(of_expression(x.range.step));
                                   return bounds;
                                 },
                                 [&](compute_loop const& x) {
                                   compute_loop head = x;
                                   head.body.clear();
                                   return of_names(outer_names_of(one(std::move(head))));
                                 },
                                 [&](compute_branch const& x) {
                                   accesses conditions;
                                   for (auto const& [condition, body] : x.branches)
                                     if (condition) conditions.add(of_expression(*condition));
                                   return conditions;
                                 },
                                 [](compute_scope const&) { return accesses{}; },
                                 [&](auto const& x) { return of_names(outer_names_of(one(x))); }},
                      s.content);
  }

  static compute_block one(auto statement) {
    compute_block block;
    block.push_back({std::move(statement)});
    return block;
  }

  accesses alias(std::string const& name, location const& base) {
    memory_of_[name] = memory_of({base.variable});
    return base.is_value ? accesses{} : of_expression(base.offset);
  }

  void inside(compute_statement& s, accesses& open) {
    std::visit(overloaded{[&](for_range& x) { loop(x.body, open); },
                          [&](compute_loop& x) { loop(x.body, open); },
                          [&](compute_scope& x) { block(x.body, open); },
                          [&](compute_branch& x) {
                            accesses const before = open;
                            for (auto& [condition, body] : x.branches) {
                              accesses arm = before;
                              block(body, arm);
                              open.add(arm);
                            }
                          },
                          [](auto&) {}},
               s.content);
  }

  void loop(compute_block& body, accesses& open) {
    bool const deals = deals_work(body);
    accesses within = open;
    block(body, within);
    if (deals && !within.is_empty()) {
      body.push_back({barrier{}});
      return; // what was open before stays so where the loop has no iteration
    }
    open.add(within);
  }
};

} // namespace

void insert_barriers(compute_block& body) {
  accesses open;
  inserter{}.block(body, open);
}

} // namespace assay::plan
