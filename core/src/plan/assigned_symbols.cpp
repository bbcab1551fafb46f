#include "plan/assigned_symbols.hpp"

#include <array>
#include <functional>
#include <string_view>

#include "assay/error.hpp"
#include "plan/walk.hpp"

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

bool is_complex(dtype type) { return type == dtype::complex64 || type == dtype::complex128; }

/// Complex before floating before integers, then the larger.
dtype wider(dtype a, dtype b) {
  auto const rank = [](dtype type) { return is_complex(type) ? 2 : is_floating(type) ? 1 : 0; };
  if (rank(a) != rank(b)) return rank(a) > rank(b) ? a : b;
  return size_bytes(a) >= size_bytes(b) ? a : b;
}

/// Functions whose value is of their arguments' type; any other that is no cast gives a floating
/// one.
bool keeps_type(std::string_view function) {
  constexpr std::array<std::string_view, 13> known{"min",       "max",      "Min", "Max", "abs",
                                                   "Abs",       "fabs",     "sum", "sgn", "sign",
                                                   "int_floor", "int_ceil", "Mod"};
  for (auto const one : known)
    if (one == function) return true;
  return false;
}

/// Rounding gives integers, in Python's own functions and in those of symbolic text.
bool rounds(std::string_view function) {
  return function == "floor" || function == "ceil" || function == "ceiling" ||
         function == "round" || function == "int" || function == "len" || function == "trunc";
}

class typing {
public:
  explicit typing(sdfg::graph const& graph) : graph_(graph) {}

  std::map<std::string, dtype> types() {
    // Types only grow along a chain of 14, so this ends; a symbol may be assigned from another.
    for (bool changed = true; changed;) {
      changed = false;
      visit_assignments(graph_.root, [&](std::string const& name, expression const& value) {
        if (auto const declared = graph_.symbols.find(name); declared != graph_.symbols.end()) {
          known_.insert_or_assign(name, declared->second);
          return;
        }
        auto const type = type_of(value);
        if (!type) return; // of a symbol whose own type is not known yet
        auto const [entry, is_new] = known_.try_emplace(name, *type);
        auto const joined = wider(entry->second, *type);
        changed = changed || is_new || joined != entry->second;
        entry->second = joined;
      });
    }
    auto result = known_;
    visit_assignments(graph_.root, [&](std::string const& name, expression const&) {
      auto& type = result.try_emplace(name, dtype::int64).first->second;
      bool const is_declared = graph_.symbols.contains(name);
      if (!is_declared && is_integral(type) && type != dtype::boolean) type = dtype::int64;
    });
    return result;
  }

private:
  sdfg::graph const& graph_;
  std::map<std::string, dtype> known_;

  [[nodiscard]] std::optional<dtype> type_of_name(std::string const& name) const {
    if (auto const* container = graph_.find(name)) return container->type;
    if (auto const found = graph_.symbols.find(name); found != graph_.symbols.end())
      return found->second;
    if (auto const found = graph_.constants.find(name); found != graph_.constants.end())
      return found->second.type.type;
    if (auto const found = known_.find(name); found != known_.end()) return found->second;
    bool is_assigned = false;
    visit_assignments(graph_.root, [&](std::string const& target, expression const&) {
      is_assigned |= target == name;
    });
    if (is_assigned) return std::nullopt;
    return dtype::int64; // a symbol from outside that nothing declares
  }

  [[nodiscard]] std::optional<dtype> joined(expression_list const& parts, std::size_t first) const {
    std::optional<dtype> result;
    for (std::size_t i = first; i < parts.size(); ++i)
      if (auto const type = type_of(parts[i])) result = result ? wider(*result, *type) : *type;
    return result;
  }

  [[nodiscard]] std::optional<dtype> type_of_call(expression const& e) const {
    auto const dot = e->text.rfind('.');
    std::string_view const function =
        std::string_view(e->text).substr(dot == std::string::npos ? 0 : dot + 1);
    if (function == "float") return dtype::float64;
    if (function == "bool") return dtype::boolean;
    if (function == "complex") return dtype::complex128;
    if (auto const cast = parse_dtype(function)) return *cast;
    if (rounds(function)) return dtype::int64;
    auto const arguments = joined(e->arguments, 0);
    if (!arguments || keeps_type(function)) return arguments;
    return is_integral(*arguments) ? dtype::float64 : *arguments;
  }

  [[nodiscard]] std::optional<dtype> type_of(expression const& e) const {
    switch (e->kind) {
    case expression_kind::integer:
      return e->type.value_or(dtype::int64);
    case expression_kind::boolean:
      return dtype::boolean;
    case expression_kind::real:
      return e->type.value_or(dtype::float64);
    case expression_kind::attribute:
      return dtype::float64; // math.pi, or a part of a complex number
    case expression_kind::name:
      return type_of_name(e->text);
    case expression_kind::subscript:
      return e->arguments.front()->kind == expression_kind::name
                 ? type_of_name(e->arguments.front()->text)
                 : std::nullopt;
    case expression_kind::unary:
      return e->text == "not" ? dtype::boolean : type_of(e->arguments.front());
    case expression_kind::conditional:
      return joined(e->arguments, 1);
    case expression_kind::call:
      return type_of_call(e);
    case expression_kind::binary:
      break;
    }
    std::string const& op = e->text;
    if (op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=")
      return dtype::boolean;
    auto const parts = joined(e->arguments, 0);
    if (op == "/" && parts && is_integral(*parts)) return dtype::float64;
    if (op == "and" || op == "or") return parts;
    // Sums of booleans count.
    return parts == dtype::boolean && op != "&" && op != "|" && op != "^" ? dtype::int64 : parts;
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
