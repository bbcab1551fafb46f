#include "plan/assigned_symbols.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "assay/error.hpp"
#include "plan/walk.hpp"
#include "sdfg/value_type.hpp"

namespace assay::plan {
namespace {

using assignment_visitor = std::function<void(std::string const&, expression const&)>;

void visit_statements(std::vector<statement> const& code, assignment_visitor const& visit) {
  for (auto const& line : code) {
    if (line.what == statement::kind::assign && line.target->kind == expression_kind::name)
      visit(line.target->text, line.augmented.empty()
                                   ? line.value
                                   : expression::binary(line.augmented, line.target, line.value));
    if (line.what == statement::kind::for_range && line.target->kind == expression_kind::name)
      visit(line.target->text, expression::integer(0));
    visit_statements(line.body, visit);
    visit_statements(line.otherwise, visit);
  }
}

void visit_assignments(sdfg::region const& r, assignment_visitor const& visit) {
  for (auto const& edge : r.edges)
    for (auto const& [name, value] : edge.assignments) visit(name, value);
  for (auto const& block : r.blocks) {
    if (auto const* repeat = std::get_if<sdfg::loop_region>(&block.content)) {
      visit_statements(repeat->init, visit);
      visit_statements(repeat->update, visit);
    }
    for (auto const* inner : inner_regions(block)) visit_assignments(*inner, visit);
  }
}

class typing {
public:
  explicit typing(sdfg::graph const& graph) : graph_(graph) {
    visit_assignments(graph_.root, [this](std::string const& name, expression const& value) {
      assignments_.emplace_back(name, value);
    });
    for (auto const& [name, value] : assignments_) types_.try_emplace(name, std::nullopt);
  }

  std::map<std::string, dtype> types() {
    for (auto& [name, type] : types_)
      if (auto const found = graph_.symbols.find(name); found != graph_.symbols.end())
        type = found->second;
    // Types only grow along the order of promotion, so this ends; the limit makes a mistake loud.
    int passes = 0;
    while (widen()) ASSAY_ASSERT(++passes < 64);

    std::map<std::string, dtype> result;
    for (auto const& [name, type] : types_) {
      auto const known = type.value_or(dtype::int64);
      bool const is_counter =
          !graph_.symbols.contains(name) && is_integral(known) && known != dtype::boolean;
      result.emplace(name, is_counter ? dtype::int64 : known);
    }
    return result;
  }

private:
  sdfg::graph const& graph_;
  std::vector<std::pair<std::string, expression>> assignments_;
  std::map<std::string, std::optional<dtype>> types_; ///< of the names that are assigned

  /// One pass over the assignments: a symbol may be assigned from another.
  bool widen() {
    bool changed = false;
    auto const named = [this](std::string const& name) { return type_of_name(name); };
    for (auto const& [name, value] : assignments_) {
      if (graph_.symbols.contains(name)) continue;
      auto type = assay::type_of(value, named);
      if (!type) continue; // of a symbol whose own type is not known yet
      if (!is_integral(*type) && is_whole(value, named)) type = dtype::int64;
      auto& known = types_.at(name);
      auto const joined = !known || *known == *type ? *type : promoted(*known, *type);
      changed = changed || known != joined;
      known = joined;
    }
    return changed;
  }

  [[nodiscard]] std::optional<dtype> type_of_name(std::string const& name) const {
    if (auto const* container = graph_.find(name)) return container->type;
    if (auto const found = types_.find(name); found != types_.end()) return found->second;
    if (auto const found = graph_.symbols.find(name); found != graph_.symbols.end())
      return found->second;
    if (auto const found = graph_.constants.find(name); found != graph_.constants.end())
      return found->second.type.type;
    return dtype::int64; // a symbol from outside that nothing declares
  }
};

} // namespace

std::vector<sdfg::region const*> inner_regions(sdfg::block const& block) {
  return std::visit(overloaded{[](sdfg::loop_region const& x) {
                                 return std::vector<sdfg::region const*>{x.body.get()};
                               },
                               [](sdfg::conditional_block const& x) {
                                 std::vector<sdfg::region const*> all;
                                 for (auto const& branch : x.branches)
                                   all.push_back(branch.body.get());
                                 return all;
                               },
                               [](sdfg::plain_region const& x) {
                                 return std::vector<sdfg::region const*>{x.body.get()};
                               },
                               [](auto const&) { return std::vector<sdfg::region const*>{}; }},
                    block.content);
}

std::set<std::string> assigned_symbols(sdfg::region const& region) {
  std::set<std::string> names;
  visit_assignments(region,
                    [&](std::string const& name, expression const&) { names.insert(name); });
  return names;
}

std::map<std::string, dtype> types_of_assigned(sdfg::graph const& graph) {
  return typing(graph).types();
}

} // namespace assay::plan
