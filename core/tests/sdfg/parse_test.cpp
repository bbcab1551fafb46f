#include "assay/expression.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace assay;
using test::failure_of;

std::string symbolic(std::string_view text) { return to_text(parse_symbolic(text)); }
std::string python(std::string_view text) { return to_text(parse_python_expression(text)); }

std::string failure_of_symbolic(std::string_view text) {
  return failure_of([&] { (void)parse_symbolic(text); });
}
std::string failure_of_python(std::string_view text) {
  return failure_of([&] { (void)parse_python_expression(text); });
}

TEST(ParseSymbolic, ReadsSymbolsWithAndWithoutType) {
  auto const plain = parse_symbolic("$N");
  EXPECT_EQ(plain->kind, expression_kind::name);
  EXPECT_EQ(plain->text, "N");
  EXPECT_FALSE(plain->type.has_value());
  auto const typed = parse_symbolic("symbol($N, dtype=dace.int64, positive=True)");
  EXPECT_EQ(typed->text, "N");
  EXPECT_EQ(typed->type, dtype::int64);
  EXPECT_EQ(plain, typed);
  EXPECT_FALSE(plain == parse_symbolic("$M"));
}

TEST(ParseSymbolic, GroupsByPrecedence) {
  EXPECT_EQ(symbolic("-1 + $N*$M"), "-1 + N * M");
  EXPECT_EQ(symbolic("($N + 1)*2"), "(N + 1) * 2");
  EXPECT_EQ(symbolic("$a - ($b - $c)"), "a - (b - c)");
  EXPECT_EQ(symbolic("$a - $b - $c"), "a - b - c");
  EXPECT_EQ(parse_symbolic("2**3**2"), parse_symbolic("2**(3**2)"));
  EXPECT_EQ(symbolic("-$N**2"), "-N ** 2");
  EXPECT_EQ(symbolic("(-$N)**2"), "(-N) ** 2");
  EXPECT_EQ(symbolic("2**-$N"), "2 ** (-N)");
}

TEST(ParseSymbolic, TurnsFunctionsIntoTheOperatorsTheyAre) {
  EXPECT_EQ(parse_symbolic("int_floor($N, 2)"), parse_symbolic("$N // 2"));
  EXPECT_EQ(parse_symbolic("Mod($N, 2)"), parse_symbolic("$N % 2"));
  EXPECT_EQ(symbolic("IfExpr($a > 0, $b, 3)"), "b if a > 0 else 3");
  EXPECT_EQ(symbolic("AND($a, $b, $c)"), "a and b and c");
  EXPECT_EQ(symbolic("Not(Eq($a, 0))"), "not a == 0");
  EXPECT_EQ(symbolic("__left_shift($a, 3)"), "a << 3");
  EXPECT_EQ(symbolic("SymExpr($a, $b)"), "a");
  EXPECT_EQ(symbolic("Subscript($A, $i, 2)"), "A[i, 2]");
  EXPECT_EQ(symbolic("Attr($s, $x)"), "s.x");
  EXPECT_EQ(symbolic("dace.int64($N)"), "dace.int64(N)");
  EXPECT_EQ(symbolic("Min($N, Max(3, $M))"), "Min(N, Max(3, M))");
  EXPECT_EQ(symbolic("pi + oo"), "math.pi + math.inf");
}

TEST(ParseSymbolic, ReadsTypedLiterals) {
  auto const small = parse_symbolic("7u8");
  EXPECT_EQ(small->integer_value, 7);
  EXPECT_EQ(small->type, dtype::uint8);
  auto const real = parse_symbolic("2f32");
  EXPECT_EQ(real->kind, expression_kind::real);
  EXPECT_EQ(real->real_value, 2.0);
  EXPECT_EQ(failure_of_symbolic("7zz"),
            "unsupported: cannot parse '7zz': literal with suffix 'zz'");
}

TEST(ParseSymbolic, ReadsTheOldFormWithBareNames) {
  EXPECT_EQ(to_text(parse_symbolic("N - 1", true)), "N - 1");
  EXPECT_EQ(failure_of_symbolic("N - 1"),
            "invalid: cannot parse 'N - 1': bare name 'N' (a symbol is written '$N')");
}

TEST(ParseSymbolic, NamesTheTextAndTheColumnOfAnError) {
  EXPECT_EQ(failure_of_symbolic("$N + "),
            "invalid: cannot parse '$N + ': expected an operand at column 6");
  EXPECT_EQ(failure_of_symbolic(""), "invalid: cannot parse '': expected an operand at column 1");
  EXPECT_EQ(failure_of_symbolic("($N"), "invalid: cannot parse '($N': expected ')' at column 4");
  EXPECT_EQ(failure_of_symbolic("$N $M"),
            "invalid: cannot parse '$N $M': expected the end at column 4");
  EXPECT_EQ(failure_of_symbolic("$?"),
            "invalid: cannot parse '$?': expected a name after '$' at column 2");
  EXPECT_EQ(failure_of_symbolic("$N\n; system()"),
            "invalid: cannot parse '$N\\n; system()': expected the end at column 4");
}

TEST(ParsePython, ReadsTaskletExpressions) {
  EXPECT_EQ(python("(__tlet_inp if (__tlet_mask != (- 1)) else double(0.0))"),
            "__tlet_inp if __tlet_mask != -1 else double(0.0)");
  EXPECT_EQ(python("f[(i - 0), ((- o) + k)]"), "f[i - 0, -o + k]");
  EXPECT_EQ(python("math.sqrt(x)"), "math.sqrt(x)");
  EXPECT_EQ(python("a or not b and c"), "a or not b and c");
  EXPECT_EQ(python("(a or b) and c"), "(a or b) and c");
  EXPECT_EQ(python("1.5e-3 + .5 + 2."), "0.0015 + 0.5 + 2.0");
  EXPECT_EQ(python("0x1F & ~m"), "31 & ~m");
  EXPECT_EQ(python("True"), "True");
  EXPECT_EQ(python("a if b else c if d else e"), "a if b else c if d else e");
  EXPECT_EQ(python("f(a, b,)"), "f(a, b)");
}

TEST(ParsePython, ReadsChainedComparisonsAsPairs) {
  EXPECT_EQ(python("a < b < c"), "a < b and b < c");
  EXPECT_EQ(python("0 <= i + 1 < n <= m"), "0 <= i + 1 and i + 1 < n and n <= m");
  EXPECT_EQ(python("x or a < b < c"), "x or a < b and b < c");
  EXPECT_EQ(python("(a < b) < c"), "(a < b) < c");
}

TEST(ParsePython, ReadsConstructorsOfStructures) {
  EXPECT_EQ(python("pair(idx=i, val=x + 1)"), "pair(idx=(i), val=(x + 1))");
  EXPECT_EQ(free_names(parse_python_expression("pair(idx=i, val=x.val)")),
            (std::set<std::string>{"i", "x"}));
}

TEST(ParsePython, ReadsTheLeastIntegerBehindItsMinusAlone) {
  auto const least = parse_python_expression("-9223372036854775808");
  EXPECT_EQ(least->integer_value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(failure_of_python("9223372036854775808"),
            "invalid: cannot parse '9223372036854775808': literal 9223372036854775808 exceeds 64 "
            "bits");
}

TEST(ParsePython, ReadsIdentityAsEquality) {
  EXPECT_EQ(python("(i == 0) is True"), "(i == 0) == True");
  EXPECT_EQ(python("a is not b and c"), "a != b and c");
  EXPECT_EQ(python("island + is_not"), "island + is_not");
  EXPECT_EQ(failure_of_python("x is None"),
            "unsupported: cannot parse 'x is None': None, which no type of C++ holds");
}

TEST(ParsePython, FreeNamesAreNeitherFunctionsNorModules) {
  EXPECT_EQ(free_names(parse_python_expression("f[i] + math.nan + dace.int64(n) + min(a, 2)")),
            (std::set<std::string>{"a", "f", "i", "n"}));
}

TEST(ParsePython, RefusesWhatTheModelCannotHold) {
  EXPECT_EQ(python("(a < b) == c"), "(a < b) == c");
  EXPECT_EQ(failure_of_python("(a, b)"),
            "invalid: cannot parse '(a, b)': expected ')' at column 3");
  EXPECT_EQ(failure_of_python("lambda x: x"),
            "invalid: cannot parse 'lambda x: x': expected an operand at column 1");
  EXPECT_EQ(failure_of_python("A[1:2]"),
            "invalid: cannot parse 'A[1:2]': expected ']' at column 4");
  EXPECT_EQ(failure_of_python("f(x)(y)"),
            "unsupported: cannot parse 'f(x)(y)': only a function that has a name can be called");
  EXPECT_EQ(failure_of_python("$N"),
            "invalid: cannot parse '$N': '$' before 'N' is no part of Python");
  EXPECT_EQ(
      failure_of_python("99999999999999999999"),
      "invalid: cannot parse '99999999999999999999': literal 99999999999999999999 exceeds 64 bits");
  EXPECT_EQ(failure_of_python("a if b"),
            "invalid: cannot parse 'a if b': expected 'else' at column 7");
}

TEST(ParsePython, RefusesDeepNestingAndAcceptsTheLimit) {
  auto const nested = [](int levels) {
    return std::string(levels, '(') + "x" + std::string(levels, ')');
  };
  EXPECT_EQ(python(nested(max_expression_depth - 1)), "x");
  auto const message = failure_of_python(nested(100'000));
  EXPECT_TRUE(message.starts_with("invalid: cannot parse '((((")) << message;
  EXPECT_TRUE(message.ends_with("...': expression is nested deeper than 500 levels")) << message;
  std::string sum = "x";
  for (int i = 0; i < 100'000; ++i) sum += "+x";
  EXPECT_TRUE(failure_of_python(sum).ends_with("expression is nested deeper than 500 levels"));
  EXPECT_TRUE(failure_of_python(std::string(100'000, '-') + "x")
                  .ends_with("expression is nested deeper than 500 levels"));
  std::string choice = "x";
  for (int i = 0; i < 1'000'000; ++i) choice += " if c else x";
  EXPECT_TRUE(failure_of_python(choice).ends_with("expression is nested deeper than 500 levels"));
}

TEST(ParsePython, ReadsBackWhatToTextPrints) {
  int read_back = 0;
  for (auto const* text :
       {"a - (b - c)", "-a ** b", "(-a) ** b", "a ** b ** c", "(a ** b) ** c", "not (a and b) or c",
        "(a if b else c) + 1", "a if (b if c else d) else e", "-(-a)", "~a << (b + 1)",
        "a % (b * c)", "(a < b) == (c < d)", "-9223372036854775807 - 1", "1e300 * 1e-300"}) {
    auto const once = parse_python_expression(text);
    EXPECT_EQ(parse_python_expression(to_text(once)), once) << text << " printed " << to_text(once);
    ++read_back;
  }
  EXPECT_EQ(read_back, 14);
  auto const smallest = expression::integer(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(evaluate_integer(parse_python_expression(to_text(smallest)), {}),
            smallest->integer_value);
}

} // namespace
