#include "assay/expression.hpp"
#include "assay/generated/math.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::failure_of;

expression parsed(std::string_view text) { return parse_symbolic(text); }
std::string simplified_text(std::string_view text) { return to_text(simplified(parsed(text))); }
std::string cpp(std::string_view text, bool wide = false) {
  return to_cpp(
      parsed(text), [](std::string const& name) { return name; }, wide);
}
std::int64_t value(std::string_view text, symbol_values const& values = {}) {
  return evaluate_integer(parsed(text), values);
}
std::string failure_of_value(std::string_view text, symbol_values const& values = {}) {
  return failure_of([&] { (void)value(text, values); });
}

TEST(Expression, FoldsConstants) {
  auto const n = expression::name("N"), zero = expression::integer(0), one = expression::integer(1);
  EXPECT_EQ(to_text(n + zero), "N");
  EXPECT_EQ(to_text(zero + n), "N");
  EXPECT_EQ(to_text(n - zero), "N");
  EXPECT_EQ(to_text(zero - n), "-N");
  EXPECT_EQ(to_text(n - n), "0");
  EXPECT_EQ(to_text(n * one), "N");
  EXPECT_EQ(to_text(n * zero), "0");
  EXPECT_EQ(to_text(one + one), "2");
  EXPECT_EQ(to_text(n + one), "N + 1");
  auto const largest = expression::integer(INT64_MAX);
  EXPECT_EQ(to_text(largest + one), "9223372036854775807 + 1"); // kept: it does not fit
}

TEST(Expression, SimplifiesEqualPolynomialsToOneForm) {
  EXPECT_EQ(simplified_text("$N + 1 + $N - 3"), "2 * N - 2");
  EXPECT_EQ(simplified_text("-1 + $N"), "N - 1");
  EXPECT_EQ(simplified_text("-$k0 + $k1"), "k1 - k0");
  EXPECT_EQ(simplified_text("($N + 1)*($N - 1)"), "N ** 2 - 1");
  EXPECT_EQ(simplified_text("$N*$M - $M*$N"), "0");
  EXPECT_EQ(simplified_text("($h0 - $h1)*($k0 - $k1)"), simplified_text("($h1 - $h0)*($k1 - $k0)"));
  EXPECT_EQ(simplified_text("1/2*$N + $N/2"), "N");
  EXPECT_EQ(simplified_text("1/2*$N"), "N / 2");
  EXPECT_EQ(simplified_text("Max(0, $N - $N)"), "Max(0, 0)");
  EXPECT_FALSE(simplified_text("$N + 1") == simplified_text("$N + 2"));
}

TEST(Expression, KeepsWhatIsTooLargeToSimplify) {
  std::string product = "1";
  for (int i = 0; i < 20; ++i)
    product += "*($a" + std::to_string(i) + " + $b" + std::to_string(i) + ")";
  EXPECT_EQ(simplified(parsed(product)), parsed(product)); // would be 2**20 terms
  EXPECT_EQ(simplified_text("9223372036854775807 + 1"), "9223372036854775807 + 1");
  EXPECT_EQ(simplified_text("$N**1000000"), "N ** 1000000");
}

TEST(Expression, FindsConstantDifferences) {
  EXPECT_EQ(constant_difference(parsed("$N + 3"), parsed("$N - 1")), 4);
  EXPECT_EQ(constant_difference(parsed("$N"), parsed("$M")), std::nullopt);
}

TEST(Expression, SubstitutesNamesOnlyWhereTheyAreFree) {
  auto const replaced = substituted(parse_python_expression("N + f(N) + math.pi + A[N]"),
                                    [](std::string const& name) -> std::optional<expression> {
                                      if (name == "N") return parse_symbolic("$M + 1");
                                      if (name == "math" || name == "f")
                                        return expression::integer(0);
                                      return std::nullopt;
                                    });
  EXPECT_EQ(to_text(replaced), "M + 1 + f(M + 1) + math.pi + A[M + 1]");
}

TEST(Expression, EvaluatesExactly) {
  EXPECT_EQ(value("1/2*$N*($N + 1)", {{"N", 3}}), 6);
  EXPECT_EQ(value("1/2*$N + 1/2*$N**2", {{"N", 3}}), 6);
  EXPECT_EQ(value("int_floor(-7, 2)"), -4);
  EXPECT_EQ(value("int_ceil(7, 2)"), 4);
  EXPECT_EQ(value("int_ceil(-7, 2)"), -3);
  EXPECT_EQ(value("Mod(-7, 3)"), 2);
  EXPECT_EQ(value("Mod(7, -3)"), -2);
  EXPECT_EQ(value("Max(0, -$k0 + $k1)", {{"k0", 5}, {"k1", 3}}), 0);
  EXPECT_EQ(value("Min(4, 2, 3)"), 2);
  EXPECT_EQ(value("Abs(-4) + floor(7/2) + ceiling(7/2)"), 11);
  EXPECT_EQ(value("IfExpr($N > 2, 10, 1/0)", {{"N", 3}}), 10);
  EXPECT_EQ(value("2**62"), std::int64_t{1} << 62);
  EXPECT_EQ(value("4*2**-1"), 2);
  EXPECT_EQ(value("dace.int64(7/2) + (5 & 3) + (1 << 4) + (~0)"), 3 + 1 + 16 - 1);
  EXPECT_EQ(value("2.0*3"), 6);
}

TEST(Expression, NamesWhatCannotBeEvaluated) {
  EXPECT_EQ(failure_of_value("$N + 1"), "invalid: cannot evaluate 'N + 1': 'N' has no value");
  EXPECT_EQ(failure_of_value("1/$N", {{"N", 0}}),
            "invalid: cannot evaluate '1 / N': division by zero");
  EXPECT_EQ(failure_of_value("$N % 0", {{"N", 1}}),
            "invalid: cannot evaluate 'N % 0': division by zero");
  EXPECT_EQ(failure_of_value("9223372036854775807 + 1"),
            "invalid: cannot evaluate '9223372036854775807 + 1': overflow of 64 bits");
  EXPECT_EQ(failure_of_value("2**64"), "invalid: cannot evaluate '2 ** 64': overflow of 64 bits");
  EXPECT_EQ(failure_of_value("2**9000000000000000000"),
            "invalid: cannot evaluate '2 ** 9000000000000000000': overflow of 64 bits");
  EXPECT_EQ(failure_of_value("1/2"), "invalid: cannot evaluate '1 / 2': the value is no integer");
  EXPECT_EQ(failure_of_value("1.5"), "invalid: cannot evaluate '1.5': 1.5 is no integer");
  EXPECT_EQ(failure_of_value("foo(1)"),
            "invalid: cannot evaluate 'foo(1)': function 'foo' with 1 argument is not known");
}

TEST(Expression, PrintsCpp) {
  EXPECT_EQ(cpp("-1 + $N"), "(-1) + N");
  EXPECT_EQ(cpp("$N*$M + 2*$K"), "N * M + 2 * K");
  EXPECT_EQ(cpp("$a - ($b - $c)"), "a - (b - c)");
  EXPECT_EQ(cpp("$N**2"), "N * N");
  EXPECT_EQ(cpp("(-2 + $N)**2"), "assay::gen::pow((-2) + N, 2)");
  EXPECT_EQ(cpp("int_floor($N, 2)"), "assay::gen::int_floor(N, 2)");
  EXPECT_EQ(cpp("int_ceil($N, 32)"), "assay::gen::int_ceil(N, 32)");
  EXPECT_EQ(cpp("Max(0, -$k0 + $k1)"), "assay::gen::max(0, (-k0) + k1)");
  EXPECT_EQ(cpp("Min($a, $b, $c)"), "assay::gen::min(a, assay::gen::min(b, c))");
  EXPECT_EQ(cpp("Mod($i, 4) + Abs($j)"), "assay::gen::mod(i, 4) + assay::gen::abs(j)");
  EXPECT_EQ(cpp("IfExpr($a > 0 and $b < 2, 1, 2)"), "((a > 0) && (b < 2)) ? 1 : 2");
  EXPECT_EQ(cpp("dace.int64($N)"), "static_cast<long long>(N)");
  EXPECT_EQ(cpp("Subscript($A, $i)"), "A[i]");
}

TEST(Expression, PrintsExactQuotientsAsOneDivisionOfTheWhole) {
  EXPECT_EQ(cpp("1/2*$N*($N + 1)"), "(N * (N + 1)) / 2");
  EXPECT_EQ(cpp("1/2*$N + 1/2*$N**2"), "(N + N * N) / 2");
  EXPECT_EQ(cpp("$N/2 + $M"), "(N + M * 2) / 2");
  EXPECT_EQ(cpp("floor($N/2) + int_ceil($N/3, 4)"),
            "assay::gen::int_floor(N, 2) + assay::gen::int_ceil(N, 12)");
}

// The printed text is compiled here: the C++ below is compared as text, then run beside the
// evaluation.
TEST(Expression, CompiledCppHasTheValueOfTheExpression) {
  int compared = 0;
#define ASSAY_SAME(text, ...)                                                                      \
  EXPECT_EQ(cpp(text), #__VA_ARGS__);                                                              \
  EXPECT_EQ(value(text, {{"N", N}, {"M", M}}), (__VA_ARGS__)) << text << " N=" << N << " M=" << M; \
  ++compared
  for (int N = -7; N <= 7; ++N)
    for (int M : {-3, -1, 2, 5}) {
      ASSAY_SAME("1/2*$N*($N + 1)", (N * (N + 1)) / 2);
      ASSAY_SAME("1/2*$N + 1/2*$N**2", (N + N * N) / 2);
      ASSAY_SAME("int_floor($N, $M)", assay::gen::int_floor(N, M));
      ASSAY_SAME("int_ceil($N, $M)", assay::gen::int_ceil(N, M));
      ASSAY_SAME("$N % $M", assay::gen::mod(N, M));
      ASSAY_SAME("floor($N/2 + $M/3)", assay::gen::int_floor(N * 3 + M * 2, 6));
      ASSAY_SAME("int_ceil($N/2, 3)", assay::gen::int_ceil(N, 6));
      ASSAY_SAME("Max(0, $N, $M)", assay::gen::max(0, assay::gen::max(N, M)));
      ASSAY_SAME("Min($N, $M) - Abs($N)", assay::gen::min(N, M) - assay::gen::abs(N));
      ASSAY_SAME("($N - $M)**3", assay::gen::pow(N - M, 3));
      ASSAY_SAME("IfExpr($N > $M, $N, 2*$M)", (N > M) ? N : (2 * M));
      ASSAY_SAME("-($N - ($M - 1))*2", (-(N - (M - 1))) * 2);
    }
#undef ASSAY_SAME
  EXPECT_EQ(compared, 15 * 4 * 12);
}

TEST(Expression, PrintsWideCppInLongLong) {
  EXPECT_EQ(cpp("8*$N*($M + 1)", true), "8LL * (long long)N * ((long long)M + 1LL)");
  EXPECT_EQ(to_cpp(
                parsed("$N"), [](auto const& n) { return "s->" + n; }, true),
            "(long long)(s->N)");
}

TEST(Expression, FunctionsHaveAllTheirNamesInSizesToo) {
  struct row {
    char const* name;
    expression_list arguments;
    std::int64_t value;
    char const* cpp;
  };
  auto const seven = expression::integer(7), two = expression::integer(-2);
  for (auto const& [name, arguments, expected, text] :
       {row{"minimum", {seven, two}, -2, "assay::gen::min(7, -2)"},
        row{"numpy.maximum", {seven, two}, 7, "assay::gen::max(7, -2)"},
        row{"Mod", {seven, two}, -1, "assay::gen::mod(7, -2)"},
        row{"floor_divide", {seven, two}, -4, "assay::gen::int_floor(7, -2)"},
        row{"np.absolute", {two}, 2, "assay::gen::abs(-2)"},
        row{"math.ceil", {expression::binary("/", seven, two)}, -3, "assay::gen::int_ceil(7, -2)"},
        row{"dace.int64", {seven}, 7, "static_cast<long long>(7)"}}) {
    auto const call = expression::call(name, arguments);
    EXPECT_EQ(evaluate_integer(call, {}), expected) << name;
    EXPECT_EQ(to_cpp(call, [](std::string const& used) { return used; }), text) << name;
  }
  EXPECT_EQ(failure_of([&] { (void)evaluate_integer(expression::call("os.floor", {seven}), {}); }),
            "invalid: cannot evaluate 'os.floor(7)': function 'os.floor' with 1 argument is not "
            "known");
}

TEST(Expression, RefusesCppOfFunctionsThatAreNotKnown) {
  EXPECT_EQ(failure_of([] { (void)cpp("system($N)"); }),
            "unsupported: function 'system' with 1 argument in a symbolic expression");
  EXPECT_EQ(failure_of([] { (void)cpp("oo"); }),
            "unsupported: attribute 'math.inf' in a symbolic expression");
  // rounded as a quotient of integers, a real factor would lose its fraction
  EXPECT_EQ(failure_of([] { (void)cpp("ceiling(0.5*$N)"); }),
            "unsupported: 'ceiling' of a real value in a symbolic expression");
  EXPECT_EQ(failure_of([] { (void)cpp("floor($N/2.5)"); }),
            "unsupported: 'floor' of a real value in a symbolic expression");
  EXPECT_EQ(cpp("ceiling($N/2)"), "assay::gen::int_ceil(N, 2)");
}

} // namespace
