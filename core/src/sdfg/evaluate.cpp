#include "assay/error.hpp"
#include "assay/expression.hpp"
#include "sdfg/functions.hpp"
#include "sdfg/parse.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace assay {
namespace {

using wide_int = __int128;

/// Exact, in lowest terms, denominator positive; both parts fit 64 bits.
struct rational {
  wide_int numerator = 0, denominator = 1;
};

/// What went wrong; evaluate_integer adds the expression.
struct failure {
  std::string message;
};

wide_int floor_of(rational r) {
  auto const quotient = r.numerator / r.denominator;
  return quotient - (r.numerator % r.denominator != 0 && r.numerator < 0 ? 1 : 0);
}

rational checked(wide_int numerator, wide_int denominator) {
  if (denominator == 0) throw failure{"division by zero"};
  if (denominator == 1 && numerator <= INT64_MAX && numerator >= INT64_MIN) return {numerator, 1};
  if (denominator < 0) numerator = -numerator, denominator = -denominator;
  auto a = numerator < 0 ? -numerator : numerator, b = denominator;
  while (b != 0) a = std::exchange(b, a % b);
  if (a > 1) numerator /= a, denominator /= a;
  if (numerator > INT64_MAX || numerator < INT64_MIN || denominator > INT64_MAX)
    throw failure{"overflow of 64 bits"};
  return {numerator, denominator};
}

rational whole(wide_int value) { return checked(value, 1); }

wide_int integer_of(rational r, std::string_view what) {
  if (r.denominator != 1) throw failure{fmt::format("'{}' of a value that is no integer", what)};
  return r.numerator;
}

rational quotient(rational a, rational b) {
  return checked(a.numerator * b.denominator, a.denominator * b.numerator);
}

rational power(rational base, rational exponent) {
  auto n = integer_of(exponent, "**");
  if (n < 0) {
    base = quotient({1, 1}, base);
    n = -n;
  }
  rational result{1, 1};
  for (; n > 0; n /= 2) { // by squares; a square is only needed while a digit is left
    if (n % 2 != 0)
      result = checked(result.numerator * base.numerator, result.denominator * base.denominator);
    if (n > 1) base = checked(base.numerator * base.numerator, base.denominator * base.denominator);
  }
  return result;
}

class evaluator {
public:
  explicit evaluator(symbol_values const& values) : values_(values) {}

  rational value(expression const& e) const {
    switch (e->kind) {
    case expression_kind::integer:
    case expression_kind::boolean:
      return whole(e->integer_value);
    case expression_kind::real: {
      auto const r = e->real_value;
      if (!(std::nearbyint(r) == r) || std::fabs(r) > 0x1p62)
        throw failure{fmt::format("{} is no integer", to_text(e))};
      return whole(static_cast<std::int64_t>(r));
    }
    case expression_kind::name: {
      auto const found = values_.find(e->text);
      if (found == values_.end()) throw failure{fmt::format("'{}' has no value", e->text)};
      return whole(found->second);
    }
    case expression_kind::attribute:
    case expression_kind::subscript:
      throw failure{fmt::format("'{}' has no value", to_text(e))};
    case expression_kind::conditional:
      return value(e->arguments[truth(e->arguments[0]) ? 1 : 2]);
    case expression_kind::unary:
      return unary(e);
    case expression_kind::binary:
      return binary(e);
    case expression_kind::call:
      return call(e);
    }
    ASSAY_ASSERT(!"every kind of expression has a case");
  }

private:
  symbol_values const& values_;

  bool truth(expression const& e) const { return value(e).numerator != 0; }

  rational unary(expression const& e) const {
    auto const x = value(e->arguments[0]);
    if (e->text == "-") return checked(-x.numerator, x.denominator);
    if (e->text == "+") return x;
    if (e->text == "not") return whole(x.numerator == 0 ? 1 : 0);
    return whole(~static_cast<std::int64_t>(integer_of(x, "~")));
  }

  rational binary(expression const& e) const {
    auto const& op = e->text;
    if (op == "and") return whole(truth(e->arguments[0]) && truth(e->arguments[1]) ? 1 : 0);
    if (op == "or") return whole(truth(e->arguments[0]) || truth(e->arguments[1]) ? 1 : 0);
    auto const a = value(e->arguments[0]), b = value(e->arguments[1]);
    if (op == "+" || op == "-") {
      auto const right = a.denominator * b.numerator;
      return checked(a.numerator * b.denominator + (op == "+" ? right : -right),
                     a.denominator * b.denominator);
    }
    if (op == "*") return checked(a.numerator * b.numerator, a.denominator * b.denominator);
    if (op == "/") return quotient(a, b);
    if (op == "//") return whole(floor_of(quotient(a, b)));
    if (op == "%") return modulo(a, b);
    if (op == "**") return power(a, b);
    auto const left = a.numerator * b.denominator, right = b.numerator * a.denominator;
    if (op == "==") return whole(left == right ? 1 : 0);
    if (op == "!=") return whole(left != right ? 1 : 0);
    if (op == "<") return whole(left < right ? 1 : 0);
    if (op == "<=") return whole(left <= right ? 1 : 0);
    if (op == ">") return whole(left > right ? 1 : 0);
    if (op == ">=") return whole(left >= right ? 1 : 0);
    auto const x = static_cast<std::int64_t>(integer_of(a, op));
    auto const y = static_cast<std::int64_t>(integer_of(b, op));
    if (op == "&") return whole(x & y);
    if (op == "|") return whole(x | y);
    if (op == "^") return whole(x ^ y);
    ASSAY_ASSERT(op == "<<" || op == ">>");
    if (y < 0) throw failure{"negative shift"};
    if (op == ">>") return whole(x >> std::min<std::int64_t>(y, 63));
    if (x == 0) return whole(0);
    if (y > 62) throw failure{"overflow of 64 bits"};
    return whole(static_cast<wide_int>(x) * (static_cast<wide_int>(1) << y));
  }

  rational call(expression const& e) const {
    auto const count = e->arguments.size();
    auto const argument = [&](std::size_t i) { return value(e->arguments[i]); };
    if (auto const function = whole_function_of(e->text, count)) switch (*function) {
      case whole_function::minimum:
      case whole_function::maximum: {
        auto best = argument(0);
        for (std::size_t i = 1; i < count; ++i) {
          auto const other = argument(i);
          auto const left = other.numerator * best.denominator,
                     right = best.numerator * other.denominator;
          if (function == whole_function::minimum ? left < right : left > right) best = other;
        }
        return best;
      }
      case whole_function::floor_quotient:
        return whole(floor_of(quotient(argument(0), argument(1))));
      case whole_function::ceiling_quotient:
        return ceiling_of(quotient(argument(0), argument(1)));
      case whole_function::modulo:
        return modulo(argument(0), argument(1));
      case whole_function::magnitude: {
        auto const x = argument(0);
        return checked(x.numerator < 0 ? -x.numerator : x.numerator, x.denominator);
      }
      case whole_function::floor:
        return whole(floor_of(argument(0)));
      case whole_function::ceiling:
        return ceiling_of(argument(0));
      }
    if (count == 1)
      if (auto const type = dotted_cast_type(e->text)) return cast(argument(0), *type);
    throw failure{fmt::format("function '{}' with {} argument{} is not known", e->text, count,
                              count == 1 ? "" : "s")};
  }

  static rational ceiling_of(rational x) { return whole(-floor_of({-x.numerator, x.denominator})); }

  /// With the sign of the divisor.
  static rational modulo(rational a, rational b) {
    auto const times = floor_of(quotient(a, b));
    auto const taken = checked(times * b.numerator, b.denominator);
    return checked(a.numerator * taken.denominator - taken.numerator * a.denominator,
                   a.denominator * taken.denominator);
  }

  static rational cast(rational x, dtype type) {
    if (type == dtype::boolean) return whole(x.numerator != 0 ? 1 : 0);
    if (!is_integral(type)) return x;
    return whole(x.numerator / x.denominator); // towards zero, as in C
  }
};

} // namespace

std::int64_t evaluate_integer(expression const& e, symbol_values const& values) {
  if (e->kind == expression_kind::integer) return e->integer_value;
  try {
    auto const result = evaluator(values).value(e);
    if (result.denominator != 1) throw failure{"the value is no integer"};
    return static_cast<std::int64_t>(result.numerator);
  } catch (failure const& f) {
    throw error(errc::invalid_input,
                fmt::format("cannot evaluate '{}': {}", printable(to_text(e)), f.message));
  }
}

} // namespace assay
