#include "assay/error.hpp"
#include "assay/expression.hpp"
#include "sdfg/functions.hpp"
#include "sdfg/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

bool holds_real(expression const& e) {
  return e->kind == expression_kind::real || std::ranges::any_of(e->arguments, holds_real);
}

/// Binding strength; a child that binds weaker than its place gets parentheses.
enum : int {
  binds_conditional = 0,
  binds_or,
  binds_and,
  binds_not,
  binds_comparison,
  binds_bit_or,
  binds_bit_xor,
  binds_bit_and,
  binds_shift,
  binds_sum,
  binds_product,
  binds_unary,
  binds_power,
  binds_atom
};

int binding(expression const& e) {
  switch (e->kind) {
  case expression_kind::conditional:
    return binds_conditional;
  case expression_kind::unary:
    return e->text == "not" ? binds_not : binds_unary;
  case expression_kind::integer:
    return e->integer_value < 0 ? binds_unary : binds_atom;
  case expression_kind::real:
    return std::signbit(e->real_value) ? binds_unary : binds_atom;
  case expression_kind::binary: {
    auto const& op = e->text;
    if (op == "or") return binds_or;
    if (op == "and") return binds_and;
    if (op == "|") return binds_bit_or;
    if (op == "^") return binds_bit_xor;
    if (op == "&") return binds_bit_and;
    if (op == "<<" || op == ">>") return binds_shift;
    if (op == "+" || op == "-") return binds_sum;
    if (op == "*" || op == "/" || op == "//" || op == "%") return binds_product;
    if (op == "**") return binds_power;
    return binds_comparison;
  }
  default:
    return binds_atom;
  }
}

std::string real_text(double value) {
  if (std::isnan(value)) return "math.nan";
  if (std::isinf(value)) return value > 0 ? "math.inf" : "-math.inf";
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string integer_text(std::int64_t value) {
  // The literal of the smallest value would not fit before its sign is applied.
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  return fmt::format("{}", value);
}

struct text_printer {
  std::string operator()(expression const& e, int least) const {
    auto text = plain(e);
    return binding(e) < least ? "(" + text + ")" : text;
  }

  std::string list(expression_list const& items, std::size_t first) const {
    std::string text;
    for (auto i = first; i < items.size(); ++i) {
      if (i != first) text += ", ";
      text += (*this)(items[i], binds_conditional);
    }
    return text;
  }

  std::string plain(expression const& e) const {
    switch (e->kind) {
    case expression_kind::integer:
      return integer_text(e->integer_value);
    case expression_kind::real:
      return real_text(e->real_value);
    case expression_kind::boolean:
      return e->integer_value != 0 ? "True" : "False";
    case expression_kind::name:
      return e->text;
    case expression_kind::attribute:
      return (*this)(e->arguments[0], binds_atom) + "." + e->text;
    case expression_kind::subscript:
      return (*this)(e->arguments[0], binds_atom) + "[" + list(e->arguments, 1) + "]";
    case expression_kind::call:
      return e->text + "(" + list(e->arguments, 0) + ")";
    case expression_kind::unary:
      if (e->text == "not") return "not " + (*this)(e->arguments[0], binds_not);
      return e->text + (*this)(e->arguments[0], binds_unary + 1);
    case expression_kind::conditional:
      return (*this)(e->arguments[1], binds_or) + " if " + (*this)(e->arguments[0], binds_or) +
             " else " + (*this)(e->arguments[2], binds_conditional);
    case expression_kind::binary:
      break;
    }
    auto const own = binding(e);
    // Comparisons do not chain and a power groups to the right, so those sides need parentheses
    // too.
    auto const left = own == binds_comparison || own == binds_power ? own + 1 : own;
    auto const right = own == binds_power ? own : own + 1;
    return (*this)(e->arguments[0], left) + " " + e->text + " " + (*this)(e->arguments[1], right);
  }
};

// ---- C++
// ----------------------------------------------------------------------------------------------------

/// A symbolic value as numerator / denominator, the denominator an integer expression.
struct quotient {
  expression numerator, denominator = expression::integer(1);
};

/// Moves every exact division outwards, where one integer division of the whole is exact.
quotient quotient_of(expression const& e) {
  if (e->kind == expression_kind::unary && (e->text == "-" || e->text == "+")) {
    auto inner = quotient_of(e->arguments[0]);
    if (inner.denominator.is_integer(1)) return {e};
    return {expression::unary(e->text, inner.numerator), inner.denominator};
  }
  if (e->kind != expression_kind::binary) return {e};
  auto const& op = e->text;
  if (op != "+" && op != "-" && op != "*" && op != "/") return {e};
  auto const a = quotient_of(e->arguments[0]), b = quotient_of(e->arguments[1]);
  if (op == "/") return {a.numerator * b.denominator, a.denominator * b.numerator};
  if (a.denominator.is_integer(1) && b.denominator.is_integer(1)) return {e};
  if (op == "*") return {a.numerator * b.numerator, a.denominator * b.denominator};
  if (a.denominator == b.denominator)
    return {expression::binary(op, a.numerator, b.numerator), a.denominator};
  return {expression::binary(op, a.numerator * b.denominator, b.numerator * a.denominator),
          a.denominator * b.denominator};
}

class cpp_printer {
public:
  cpp_printer(name_printer const& name, bool wide) : name_(name), wide_(wide) {}

  /// With parentheses unless it is an atom: C++ ranks some operators otherwise than Python.
  std::string operator()(expression const& e) const {
    auto text = top(e);
    return is_atom(text) ? text : "(" + text + ")";
  }

  std::string top(expression const& e) const {
    auto const parts = quotient_of(e);
    if (parts.denominator.is_integer(1)) return plain(parts.numerator);
    return (*this)(parts.numerator) + " / " + (*this)(parts.denominator);
  }

private:
  name_printer const& name_;
  bool wide_;

  /// A name, a literal, a call or an element, perhaps behind a cast: nothing beside it can regroup
  /// it.
  static bool is_atom(std::string_view text) {
    constexpr std::string_view cast = "(long long)";
    if (text.starts_with(cast)) text.remove_prefix(cast.size());
    std::size_t at = 0;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) ||
                                text[at] == '_' || text[at] == ':'))
      ++at;
    if (at == 0 || at == text.size()) return at != 0;
    int depth = 0;
    for (; at < text.size(); ++at) {
      depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    return at + 1 == text.size();
  }

  [[noreturn]] static void refuse(std::string const& what) {
    throw error(errc::unsupported, what + " in a symbolic expression");
  }

  std::string literal(std::int64_t value) const {
    if (value == std::numeric_limits<std::int64_t>::min()) return "-9223372036854775807LL - 1";
    return fmt::format("{}{}", value, wide_ ? "LL" : "");
  }

  std::string function(std::string_view name, std::initializer_list<expression> arguments) const {
    std::string text = fmt::format("assay::gen::{}(", name);
    bool first = true;
    for (auto const& argument : arguments) {
      if (!first) text += ", ";
      first = false;
      text += top(argument);
    }
    return text + ")";
  }

  /// The largest exponent that is written as a product.
  static constexpr std::int64_t longest_product = 16;

  std::string binary(expression const& e) const {
    auto const& op = e->text;
    auto const &a = e->arguments[0], &b = e->arguments[1];
    if (op == "//") { // an exact division inside must not round first
      auto const x = quotient_of(a), y = quotient_of(b);
      return function("int_floor", {x.numerator * y.denominator, x.denominator * y.numerator});
    }
    if (op == "%") return function("mod", {a, b});
    if (op == "**") {
      // Only a name is repeated: nested powers of compound bases would be text without bound.
      if (a->kind != expression_kind::name || b->kind != expression_kind::integer ||
          b->integer_value < 0 || b->integer_value > longest_product)
        return function("pow", {a, b});
      if (b->integer_value == 0) return literal(1);
      auto const base = (*this)(a);
      std::string text = base;
      for (std::int64_t i = 1; i < b->integer_value; ++i) text += " * " + base;
      return text;
    }
    auto const* cpp = op == "and" ? "&&" : op == "or" ? "||" : op.c_str();
    // Sums and products read without parentheses on their left, where both languages agree.
    auto const own = binding(e), left = binding(a);
    bool const power = left == binds_power; // prints as a product or a call
    bool const chain =
        (own == binds_sum && (left == binds_sum || left == binds_product || power)) ||
        (own == binds_product && ((left == binds_product && a->text == "*") || power));
    bool const term = own == binds_sum && b->kind == expression_kind::binary &&
                      (b->text == "*" || b->text == "**");
    return fmt::format("{} {} {}", chain ? plain_checked(a) : (*this)(a), cpp,
                       term ? plain_checked(b) : (*this)(b));
  }

  /// Without parentheses, except where an exact division turned the node into a quotient.
  std::string plain_checked(expression const& e) const {
    return quotient_of(e).denominator.is_integer(1) ? plain(e) : (*this)(e);
  }

  std::string call(expression const& e) const {
    auto const& arguments = e->arguments;
    // An exact division inside must not round first.
    auto const of_quotients = [&](std::string_view name) {
      auto const x = quotient_of(arguments[0]), y = quotient_of(arguments[1]);
      return function(name, {x.numerator * y.denominator, x.denominator * y.numerator});
    };
    auto const rounded = [&](std::string_view name) {
      auto const x = quotient_of(arguments[0]);
      if (holds_real(x.numerator) || holds_real(x.denominator))
        refuse(fmt::format("'{}' of a real value", e->text));
      if (x.denominator.is_integer(1)) return plain(x.numerator);
      return function(name, {x.numerator, x.denominator});
    };
    auto const nested = [&](std::string_view name) {
      auto text = top(arguments.back());
      for (auto i = arguments.size() - 1; i-- > 0;)
        text = fmt::format("assay::gen::{}({}, {})", name, top(arguments[i]), text);
      return text;
    };
    if (auto const whole = whole_function_of(e->text, arguments.size())) switch (*whole) {
      case whole_function::minimum:
        return nested("min");
      case whole_function::maximum:
        return nested("max");
      case whole_function::floor_quotient:
        return of_quotients("int_floor");
      case whole_function::ceiling_quotient:
        return of_quotients("int_ceil");
      case whole_function::modulo:
        return function("mod", {arguments[0], arguments[1]});
      case whole_function::magnitude:
        return function("abs", {arguments[0]});
      case whole_function::floor:
        return rounded("int_floor");
      case whole_function::ceiling:
        return rounded("int_ceil");
      }
    if (arguments.size() == 1)
      if (auto const type = dotted_cast_type(e->text))
        return fmt::format("static_cast<{}>({})", cpp_name(*type), top(arguments[0]));
    refuse(fmt::format("function '{}' with {} argument{}", e->text, arguments.size(),
                       arguments.size() == 1 ? "" : "s"));
  }

  std::string plain(expression const& e) const {
    switch (e->kind) {
    case expression_kind::integer:
      return literal(e->integer_value);
    case expression_kind::boolean:
      return e->integer_value != 0 ? "true" : "false";
    case expression_kind::real: {
      if (!std::isfinite(e->real_value)) refuse("a value that is not finite");
      return real_text(e->real_value);
    }
    case expression_kind::name: {
      auto text = name_(e->text);
      if (!wide_) return text;
      return is_atom(text) ? "(long long)" + text : "(long long)(" + text + ")";
    }
    case expression_kind::attribute:
      refuse(fmt::format("attribute '{}'", to_text(e)));
    case expression_kind::subscript: {
      auto const& base = e->arguments[0];
      if (base->kind != expression_kind::name || e->arguments.size() != 2)
        refuse(fmt::format("subscript '{}'", to_text(e)));
      auto text = fmt::format("{}[{}]", name_(base->text), top(e->arguments[1]));
      return wide_ ? "(long long)" + text : text;
    }
    case expression_kind::call:
      return call(e);
    case expression_kind::unary:
      return (e->text == "not" ? "!" : e->text) + (*this)(e->arguments[0]);
    case expression_kind::conditional:
      return fmt::format("{} ? {} : {}", (*this)(e->arguments[0]), (*this)(e->arguments[1]),
                         (*this)(e->arguments[2]));
    case expression_kind::binary:
      return binary(e);
    }
    ASSAY_ASSERT(!"every kind of expression has a case");
  }
};

} // namespace

std::string to_text(expression const& e) { return text_printer{}(e, binds_conditional); }

std::string to_cpp(expression const& e, name_printer const& name, bool wide) {
  return cpp_printer(name, wide).top(e);
}

} // namespace assay
