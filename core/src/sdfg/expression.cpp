#include "assay/expression.hpp"

#include "assay/error.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace assay {
namespace {

bool is_module(expression const& e) {
  return e->kind == expression_kind::name &&
         (e->text == "math" || e->text == "dace" || e->text == "numpy" || e->text == "np");
}

bool both_integers(expression const& a, expression const& b) {
  return a->kind == expression_kind::integer && b->kind == expression_kind::integer;
}

} // namespace

expression expression::make(node n) {
  n.depth = 1;
  for (auto const& argument : n.arguments) n.depth = std::max(n.depth, argument->depth + 1);
  if (n.depth > max_expression_depth)
    throw error(errc::invalid_input, "expression is nested deeper than " +
                                         std::to_string(max_expression_depth) + " levels");
  return expression(std::make_shared<node const>(std::move(n)));
}

expression expression::integer(std::int64_t value) {
  auto const fresh = [](std::int64_t v) {
    node n;
    n.kind = expression_kind::integer;
    n.integer_value = v;
    return make(std::move(n));
  };
  // Nodes never change, and half of all that are made are 0 or 1: every default expression is one.
  static std::array<expression, 2> const small{fresh(0), fresh(1)};
  return value == 0 || value == 1 ? small[static_cast<std::size_t>(value)] : fresh(value);
}

expression expression::real(double value) {
  node n;
  n.kind = expression_kind::real;
  n.real_value = value;
  return make(std::move(n));
}

expression expression::boolean(bool value) {
  node n;
  n.kind = expression_kind::boolean;
  n.integer_value = value ? 1 : 0;
  return make(std::move(n));
}

expression expression::name(std::string text) {
  node n;
  n.kind = expression_kind::name;
  n.text = std::move(text);
  return make(std::move(n));
}

expression expression::unary(std::string op, expression operand) {
  node n;
  n.kind = expression_kind::unary;
  n.text = std::move(op);
  n.arguments.push_back(std::move(operand));
  return make(std::move(n));
}

expression expression::binary(std::string op, expression left, expression right) {
  node n;
  n.kind = expression_kind::binary;
  n.text = std::move(op);
  n.arguments.push_back(std::move(left));
  n.arguments.push_back(std::move(right));
  return make(std::move(n));
}

expression expression::call(std::string function, expression_list arguments) {
  node n;
  n.kind = expression_kind::call;
  n.text = std::move(function);
  n.arguments = std::move(arguments);
  return make(std::move(n));
}

expression expression::subscript(expression base, expression_list indices) {
  node n;
  n.kind = expression_kind::subscript;
  n.arguments.push_back(std::move(base));
  for (auto& index : indices) n.arguments.push_back(std::move(index));
  return make(std::move(n));
}

expression expression::conditional(expression condition, expression then, expression otherwise) {
  node n;
  n.kind = expression_kind::conditional;
  n.arguments = {std::move(condition), std::move(then), std::move(otherwise)};
  return make(std::move(n));
}

bool expression::is_integer(std::int64_t value) const noexcept {
  return node_->kind == expression_kind::integer && node_->integer_value == value;
}

bool operator==(expression const& a, expression const& b) {
  if (a.node_ == b.node_) return true;
  auto const &x = *a, &y = *b;
  // Bits, not values: a not-a-number literal equals itself.
  return x.kind == y.kind && x.text == y.text && x.integer_value == y.integer_value &&
         std::bit_cast<std::uint64_t>(x.real_value) == std::bit_cast<std::uint64_t>(y.real_value) &&
         x.arguments == y.arguments;
}

expression operator+(expression const& a, expression const& b) {
  if (a.is_integer(0)) return b;
  if (b.is_integer(0)) return a;
  std::int64_t sum = 0;
  if (both_integers(a, b) && !__builtin_add_overflow(a->integer_value, b->integer_value, &sum))
    return expression::integer(sum);
  return expression::binary("+", a, b);
}

expression operator-(expression const& a, expression const& b) {
  if (b.is_integer(0)) return a;
  std::int64_t difference = 0;
  if (both_integers(a, b) &&
      !__builtin_sub_overflow(a->integer_value, b->integer_value, &difference))
    return expression::integer(difference);
  if (a.is_integer(0)) return expression::unary("-", b);
  if (a == b) return expression::integer(0);
  return expression::binary("-", a, b);
}

expression operator*(expression const& a, expression const& b) {
  if (a.is_integer(0) || b.is_integer(1)) return a;
  if (b.is_integer(0) || a.is_integer(1)) return b;
  std::int64_t product = 0;
  if (both_integers(a, b) && !__builtin_mul_overflow(a->integer_value, b->integer_value, &product))
    return expression::integer(product);
  return expression::binary("*", a, b);
}

void collect_free_names(expression const& e, std::set<std::string>& names) {
  if (e->kind == expression_kind::name) names.insert(e->text);
  if (e->kind == expression_kind::attribute && is_module(e->arguments[0])) return;
  for (auto const& argument : e->arguments) collect_free_names(argument, names);
}

std::set<std::string> free_names(expression const& e) {
  std::set<std::string> names;
  collect_free_names(e, names);
  return names;
}

expression
substituted(expression const& e,
            std::function<std::optional<expression>(std::string const&)> const& replacement) {
  if (e->kind == expression_kind::name) {
    auto const other = replacement(e->text);
    return other ? *other : e;
  }
  if (e->arguments.empty()) return e;
  if (e->kind == expression_kind::attribute && is_module(e->arguments[0])) return e;
  // Identity is enough here: an untouched branch is returned as the same node, and nothing is copied.
  for (std::size_t k = 0; k < e->arguments.size(); ++k) {
    auto other = substituted(e->arguments[k], replacement);
    if (&*other == &*e->arguments[k]) continue;
    expression::node n = *e;
    n.arguments[k] = std::move(other);
    while (++k < n.arguments.size()) n.arguments[k] = substituted(n.arguments[k], replacement);
    return expression::make(std::move(n));
  }
  return e;
}

} // namespace assay
