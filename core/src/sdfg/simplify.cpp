#include "assay/error.hpp"
#include "assay/expression.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace assay {
namespace {

/// Exact, in lowest terms, denominator positive.
struct fraction {
  std::int64_t numerator = 0, denominator = 1;
};

/// 64 bits or the bound on terms were exceeded: the simplification is given up.
struct overflow {};

std::int64_t narrowed(__int128 value) {
  if (value > INT64_MAX || value < INT64_MIN) throw overflow{};
  return static_cast<std::int64_t>(value);
}

fraction reduced(__int128 numerator, __int128 denominator) {
  if (denominator == 1) return {narrowed(numerator), 1};
  auto a = numerator < 0 ? -numerator : numerator, b = denominator;
  while (b != 0) a = std::exchange(b, a % b);
  if (a == 0) a = 1;
  return {narrowed(numerator / a), narrowed(denominator / a)};
}

fraction operator+(fraction a, fraction b) {
  return reduced(static_cast<__int128>(a.numerator) * b.denominator +
                     static_cast<__int128>(b.numerator) * a.denominator,
                 static_cast<__int128>(a.denominator) * b.denominator);
}
fraction operator*(fraction a, fraction b) {
  return reduced(static_cast<__int128>(a.numerator) * b.numerator,
                 static_cast<__int128>(a.denominator) * b.denominator);
}

struct factor {
  std::string text; ///< what it is ordered and compared by
  expression value;
  std::int64_t exponent = 1;
  bool operator<(factor const& other) const {
    return std::tie(text, exponent) < std::tie(other.text, other.exponent);
  }
};
/// Factors by text; the empty product is the constant term.
using monomial = std::vector<factor>;
using polynomial = std::map<monomial, fraction>;

// Bounds on what products and powers expand to: files are not trusted.
constexpr std::size_t most_terms = 1000;
constexpr std::int64_t largest_expanded_power = 16;

constexpr std::size_t most_products = 50'000;

/// The node itself, its arguments simplified.
expression simplified_inside(expression const& e) {
  if (e->arguments.empty()) return e;
  auto n = *e;
  for (auto& argument : n.arguments) argument = simplified(argument);
  return expression::make(std::move(n));
}

/// One expansion, with its bound on work.
class expansion {
public:
  polynomial of(expression const& e) {
    switch (e->kind) {
    case expression_kind::integer:
      return constant(e->integer_value);
    case expression_kind::unary:
      if (e->text == "-") return product(constant(-1), of(e->arguments[0]));
      if (e->text == "+") return of(e->arguments[0]);
      break;
    case expression_kind::binary: {
      auto const &a = e->arguments[0], &b = e->arguments[1];
      if (e->text == "+" || e->text == "-") {
        auto sum = of(a);
        for (auto const& [m, c] : of(b)) add(sum, m, e->text == "+" ? c : c * fraction{-1, 1});
        return sum;
      }
      if (e->text == "*") return product(of(a), of(b));
      if (e->text == "/" && b->kind == expression_kind::integer && b->integer_value != 0 &&
          b->integer_value != INT64_MIN) {
        auto const sign = b->integer_value < 0 ? -1 : 1;
        polynomial const inverse{{{}, {sign, sign * b->integer_value}}};
        return product(of(a), inverse);
      }
      if (e->text == "**" && b->kind == expression_kind::integer && b->integer_value >= 0 &&
          b->integer_value <= largest_expanded_power) {
        auto const base = of(a);
        auto result = constant(1);
        for (std::int64_t i = 0; i < b->integer_value; ++i) result = product(result, base);
        return result;
      }
      break;
    }
    default:
      break;
    }
    return opaque(simplified_inside(e));
  }

private:
  std::size_t products_ = 0;

  static void add(polynomial& sum, monomial const& m, fraction coefficient) {
    auto const [entry, is_new] = sum.try_emplace(m, coefficient);
    if (!is_new) entry->second = entry->second + coefficient;
    if (entry->second.numerator == 0) sum.erase(entry);
    if (sum.size() > most_terms) throw overflow{};
  }

  static polynomial constant(std::int64_t value) {
    polynomial result;
    if (value != 0) result[{}] = {value, 1};
    return result;
  }

  static polynomial opaque(expression value) {
    auto text = to_text(value);
    polynomial result;
    result[{factor{std::move(text), std::move(value), 1}}] = {1, 1};
    return result;
  }

  static monomial product(monomial const& a, monomial const& b) {
    monomial result = a;
    for (auto const& f : b) {
      auto const same = std::find_if(result.begin(), result.end(),
                                     [&](factor const& g) { return g.text == f.text; });
      if (same == result.end())
        result.push_back(f);
      else
        same->exponent = narrowed(static_cast<__int128>(same->exponent) + f.exponent);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  polynomial product(polynomial const& a, polynomial const& b) {
    products_ += a.size() * b.size();
    if (products_ > most_products) throw overflow{};
    polynomial result;
    for (auto const& [m, c] : a)
      for (auto const& [n, d] : b) add(result, product(m, n), c * d);
    return result;
  }
};

expression expression_of(monomial const& m) {
  std::optional<expression> result;
  for (auto const& f : m) {
    auto const power = f.exponent == 1
                           ? f.value
                           : expression::binary("**", f.value, expression::integer(f.exponent));
    result = result ? expression::binary("*", *result, power) : power;
  }
  return result ? *result : expression::integer(1);
}

expression expression_of(polynomial const& p) {
  if (p.empty()) return expression::integer(0);
  // Constants last: `N - 1`. A positive term first where there is one: `k1 - k0`, not `-k0 + k1`.
  std::vector<std::pair<monomial, fraction>> terms(p.begin(), p.end());
  std::stable_partition(terms.begin(), terms.end(), [](auto const& t) { return !t.first.empty(); });
  auto const lead = std::find_if(terms.begin(), terms.end(), [](auto const& t) {
    return t.second.numerator > 0 && !t.first.empty();
  });
  if (lead != terms.end()) std::rotate(terms.begin(), lead, lead + 1);

  std::optional<expression> sum;
  for (auto const& [m, c] : terms) {
    bool const subtracted = sum && c.numerator < 0;
    auto const scale = subtracted ? narrowed(-static_cast<__int128>(c.numerator)) : c.numerator;
    auto term = m.empty()     ? expression::integer(scale)
                : scale == 1  ? expression_of(m)
                : scale == -1 ? expression::unary("-", expression_of(m))
                              : expression::integer(scale) * expression_of(m);
    if (c.denominator != 1)
      term = expression::binary("/", term, expression::integer(c.denominator));
    sum = !sum ? term : expression::binary(subtracted ? "-" : "+", *sum, term);
  }
  return *sum;
}

} // namespace

expression simplified(expression const& e) {
  // Sums of nothing have one form already.
  if (e->kind == expression_kind::integer ||
      (e->kind == expression_kind::name && !e->type))
    return e;
  try {
    return expression_of(expansion().of(e));
  } catch (overflow const&) {
    return e; // too large to collect; the value is the same
  }
}

std::optional<std::int64_t> constant_difference(expression const& a, expression const& b) {
  if (a->kind == expression_kind::integer && b->kind == expression_kind::integer) {
    std::int64_t result = 0;
    if (!__builtin_sub_overflow(a->integer_value, b->integer_value, &result)) return result;
  }
  auto const difference = simplified(expression::binary("-", a, b));
  if (difference->kind != expression_kind::integer) return std::nullopt;
  return difference->integer_value;
}

} // namespace assay
