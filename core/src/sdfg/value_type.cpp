#include "sdfg/value_type.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "assay/error.hpp"
#include "assay/structure_type.hpp"

namespace assay {
namespace {

bool is_comparison(std::string_view op) {
  static constexpr std::array<std::string_view, 6> all{"==", "!=", "<", "<=", ">", ">="};
  return std::ranges::find(all, op) != all.end();
}

/// What arithmetic sees of an element: half is storage only.
std::optional<dtype> computed(std::optional<dtype> type) {
  return type == dtype::float16 ? dtype::float32 : type;
}

/// Of an operator that gives one of its operands as it is, or both promoted.
dtype common(dtype a, dtype b) noexcept { return a == b ? a : promoted(a, b); }

dtype type_of_power(expression const& e, dtype base, dtype exponent) {
  auto const& right = e->arguments.at(1);
  if (right->kind == expression_kind::integer && right->integer_value >= 0)
    return promoted(base, base);
  // A negative exponent leaves the integers.
  if (is_integral(base) && is_integral(exponent) && integer_literal(right).value_or(0) < 0)
    return dtype::float64;
  auto const type = promoted(base, exponent);
  bool const is_kept = is_complex(type) || is_integral(type) || type == dtype::float32;
  return is_kept ? type : dtype::float64;
}

std::optional<dtype> type_of_call(expression const& e, type_of_name const& named) {
  auto const base = without_module(e->text);
  if (!base) return std::nullopt;
  auto const& arguments = e->arguments;
  if ((*base == "IfExpr" || *base == "if_expr") && arguments.size() == 3)
    return type_of(expression::conditional(arguments[0], arguments[1], arguments[2]), named);
  if (*base == "complex") return dtype::complex128;
  if (auto const cast = cast_type(*base)) return *cast;
  if (*base == "decltype" && !arguments.empty()) return type_of(arguments[0], named);
  if (auto const composed = composition_of(e->text, arguments)) return type_of(*composed, named);
  auto const* const function = find_function(*base);
  if (function == nullptr) return std::nullopt;
  std::optional<dtype> joined;
  for (auto const& argument : arguments)
    if (auto const type = type_of(argument, named))
      joined = promoted(joined.value_or(*type), *type);
  return joined ? std::optional(type_of_function(*function, *joined)) : std::nullopt;
}

} // namespace

bool is_complex(dtype type) noexcept {
  return type == dtype::complex64 || type == dtype::complex128;
}

dtype part_of(dtype type) noexcept {
  return type == dtype::complex64 ? dtype::float32 : dtype::float64;
}

dtype promoted(dtype a, dtype b) noexcept {
  if (a == dtype::complex128 || b == dtype::complex128) return dtype::complex128;
  if (a == dtype::complex64 || b == dtype::complex64) return dtype::complex64;
  if (a == dtype::float64 || b == dtype::float64) return dtype::float64;
  if (a == dtype::float32 || b == dtype::float32) return dtype::float32;
  if (a == dtype::float16 || b == dtype::float16) return dtype::float32;
  if (a == dtype::uint64 || b == dtype::uint64) return dtype::uint64;
  if (a == dtype::int64 || b == dtype::int64) return dtype::int64;
  if (a == dtype::uint32 || b == dtype::uint32) return dtype::uint32;
  return dtype::int32;
}

dtype type_of_integer(std::int64_t value) noexcept {
  bool const is_narrow =
      value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return is_narrow ? dtype::int32 : dtype::int64;
}

std::string_view constant_name(expression const& e) {
  std::string_view text;
  if (e->kind == expression_kind::attribute) {
    if (e->arguments.at(0)->kind != expression_kind::name) return {};
    auto const& module = e->arguments[0]->text;
    if (module != "math" && module != "numpy" && module != "np" && module != "dace") return {};
    text = e->text;
  } else if (e->kind == expression_kind::name) {
    auto const dot = e->text.rfind('.');
    if (dot == std::string::npos || !without_module(e->text)) return {};
    text = std::string_view(e->text).substr(dot + 1);
  }
  for (std::string_view known : {"nan", "inf", "pi", "e", "tau"})
    if (text == known) return known;
  return {};
}

bool takes_any_precision(expression const& e) {
  auto const constant = constant_name(e);
  return constant == "nan" || constant == "inf";
}

std::optional<std::int64_t> integer_literal(expression const& e) {
  if (e->kind == expression_kind::integer) return e->integer_value;
  if (e->kind == expression_kind::unary && e->text == "-" &&
      e->arguments.at(0)->kind == expression_kind::integer && e->arguments[0]->integer_value > 0)
    return -e->arguments[0]->integer_value;
  return std::nullopt;
}

dtype type_of_unary(std::string_view op, dtype operand) noexcept {
  if (op == "not") return dtype::boolean;
  // numpy's inverse of a bool is its negation.
  if (op == "~" && operand == dtype::boolean) return dtype::boolean;
  return promoted(operand, operand);
}

dtype type_of_binary(expression const& e, dtype left, dtype right) {
  auto const& op = e->text;
  auto const& first = e->arguments.at(0);
  bool const begins_with_literal = first->kind == expression_kind::integer;
  // Python's integers do not wrap at 32 bits; names keep their types, as numpy's do.
  if (begins_with_literal && e->arguments.at(1)->kind == expression_kind::integer &&
      left == dtype::int32)
    left = dtype::int64;
  if (is_comparison(op)) return dtype::boolean;
  if (op == "and" || op == "or") return common(left, right);
  if (op == "**") return type_of_power(e, left, right);
  if (op == "<<" || op == ">>") return begins_with_literal ? dtype::int64 : promoted(left, left);
  if (op == "&" || op == "|" || op == "^")
    return left == dtype::boolean && right == dtype::boolean ? dtype::boolean
                                                             : promoted(left, right);
  auto const type = promoted(left, right);
  return op == "/" && is_integral(type) ? dtype::float64 : type;
}

dtype type_of_function(function_row const& row, dtype joined) noexcept {
  auto const type = promoted(joined, joined);
  switch (row.result) {
  case result_rule::boolean:
    return dtype::boolean;
  case result_rule::integer:
    return dtype::int32;
  case result_rule::floating:
  case result_rule::rounded:
    if (is_complex(type)) return type;
    return type == dtype::float32 ? dtype::float32 : dtype::float64;
  case result_rule::part:
  case result_rule::magnitude:
    return is_complex(type) ? part_of(type) : type;
  case result_rule::promoted:
  case result_rule::complex:
    break;
  }
  return type;
}

std::optional<dtype> type_of(expression const& e, type_of_name const& named) {
  if (!constant_name(e).empty()) return dtype::float64;
  switch (e->kind) {
  case expression_kind::integer:
    return e->type.value_or(type_of_integer(e->integer_value));
  case expression_kind::boolean:
    return dtype::boolean;
  case expression_kind::real:
    return e->type.value_or(dtype::float64);
  case expression_kind::name:
    return computed(named(e->text));
  case expression_kind::subscript:
    return e->arguments.front()->kind == expression_kind::name
               ? computed(named(e->arguments.front()->text))
               : std::nullopt;
  case expression_kind::attribute: {
    auto const whole = type_of(e->arguments.front(), named);
    if (!whole) return std::nullopt;
    if (e->text == "real" || e->text == "imag")
      return type_of_function(*find_function(e->text), *whole);
    auto const fields = fields_of(*whole);
    auto const field = std::ranges::find(fields, e->text, &structure_field::name);
    return field == fields.end() ? std::nullopt : computed(field->type);
  }
  case expression_kind::unary: {
    auto const operand = type_of(e->arguments.front(), named);
    return operand ? std::optional(type_of_unary(e->text, *operand)) : std::nullopt;
  }
  case expression_kind::conditional: {
    auto const yes = type_of(e->arguments.at(1), named), no = type_of(e->arguments.at(2), named);
    if (!yes || !no) return yes ? yes : no;
    // nan and inf have no precision of their own: they take the other branch's.
    if (takes_any_precision(e->arguments[1]) && no == dtype::float32) return no;
    if (takes_any_precision(e->arguments[2]) && yes == dtype::float32) return yes;
    return common(*yes, *no);
  }
  case expression_kind::call:
    return type_of_call(e, named);
  case expression_kind::binary: {
    auto const a = type_of(e->arguments.at(0), named), b = type_of(e->arguments.at(1), named);
    if (!a && !b) return std::nullopt;
    return type_of_binary(e, a.value_or(*(a ? a : b)), b.value_or(*(a ? a : b)));
  }
  }
  ASSAY_ASSERT(!"every kind of expression has a case");
}

bool is_whole(expression const& e, type_of_name const& named) {
  auto const are_whole = [&](std::size_t first) {
    return std::all_of(e->arguments.begin() + static_cast<std::ptrdiff_t>(first),
                       e->arguments.end(),
                       [&](expression const& part) { return is_whole(part, named); });
  };
  if (auto const type = type_of(e, named); type && is_integral(*type)) return true;
  if (e->kind == expression_kind::unary) return are_whole(0);
  if (e->kind == expression_kind::conditional) return are_whole(1);
  // The form in which symbolic text keeps floor and ceiling.
  bool const is_rounding = e->text == "//" || e->text == "int_ceil";
  if (is_rounding && e->arguments.size() == 2 && e->arguments[1].is_integer(1)) return true;
  if (e->kind == expression_kind::binary) return e->text != "/" && e->text != "**" && are_whole(0);
  if (e->kind != expression_kind::call) return false;
  // numpy's roundings stay floating: they keep what is infinite.
  if (e->text.starts_with("np.") || e->text.starts_with("numpy.")) return false;
  auto const base = without_module(e->text);
  auto const* const function = base ? find_function(*base) : nullptr;
  if (function == nullptr) return false;
  if (function->result == result_rule::rounded) return true;
  return (function->result == result_rule::promoted ||
          function->result == result_rule::magnitude) &&
         are_whole(0);
}

} // namespace assay
