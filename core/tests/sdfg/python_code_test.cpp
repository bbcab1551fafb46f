#include "assay/expression.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::failure_of;

std::string failure_of_code(std::string_view code) {
  return failure_of([&] { (void)parse_python_code(code); });
}

TEST(ParsePythonCode, ReadsAssignments) {
  auto const code =
      parse_python_code("r = (l1 - l0)\no = (0.0 if ((r * f) > 0.0) else r)  # flux\n");
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].what, statement::kind::assign);
  EXPECT_EQ(to_text(code[0].target), "r");
  EXPECT_EQ(to_text(code[0].value), "l1 - l0");
  EXPECT_EQ(code[0].augmented, "");
  EXPECT_EQ(to_text(code[1].value), "0.0 if r * f > 0.0 else r");
}

TEST(ParsePythonCode, ReadsAugmentedAssignmentToAnElement) {
  auto const code = parse_python_code("a[i, 2] **= 3; b //= 2; c == d; e = f == g");
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].augmented, "**");
  EXPECT_EQ(to_text(code[0].target), "a[i, 2]");
  EXPECT_EQ(code[1].augmented, "//");
  EXPECT_EQ(code[2].what, statement::kind::expression);
  EXPECT_EQ(to_text(code[2].value), "c == d");
  EXPECT_EQ(to_text(code[3].value), "f == g");
}

TEST(ParsePythonCode, ReadsAnnotationsAsTypesAndConversions) {
  auto const code = parse_python_code("t: dace.int32 = a * 10\nu: dace.float64\nif a: b = 1");
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].what, statement::kind::assign);
  EXPECT_EQ(to_text(code[0].target), "t");
  EXPECT_EQ(to_text(code[0].value), "dace.int32(a * 10)");
  EXPECT_EQ(code[0].annotation, "dace.int32");
  EXPECT_EQ(code[1].what, statement::kind::declare);
  EXPECT_EQ(to_text(code[1].target), "u");
  EXPECT_EQ(code[1].annotation, "dace.float64");
  EXPECT_EQ(code[2].what, statement::kind::if_else);
  EXPECT_EQ(code[2].body.at(0).annotation, "");
}

TEST(ParsePythonCode, ReadsCompoundStatements) {
  auto const code = parse_python_code("  if a > 0:\n"
                                      "    b = 1\n"
                                      "\n"
                                      "    c = 2\n"
                                      "  elif a < 0: b = 2\n"
                                      "  else:\n"
                                      "    for i in range(1, n):\n"
                                      "      s += f(i,\n"
                                      "  j)\n"
                                      "  while s > 0:\n"
                                      "    s -= 1\n"
                                      "  pass\n");
  ASSERT_EQ(code.size(), 3u);
  auto const& branch = code[0];
  EXPECT_EQ(branch.what, statement::kind::if_else);
  EXPECT_EQ(branch.body.size(), 2u);
  ASSERT_EQ(branch.otherwise.size(), 1u);
  auto const& second = branch.otherwise[0];
  EXPECT_EQ(to_text(second.value), "a < 0");
  EXPECT_EQ(to_text(second.body.at(0).value), "2");
  auto const& loop = second.otherwise.at(0);
  EXPECT_EQ(loop.what, statement::kind::for_range);
  EXPECT_EQ(to_text(loop.target), "i");
  EXPECT_EQ(to_text(loop.range.at(0)), "1");
  EXPECT_EQ(to_text(loop.range.at(1)), "n");
  EXPECT_EQ(to_text(loop.range.at(2)), "1");
  EXPECT_EQ(to_text(loop.body.at(0).value), "f(i, j)");
  EXPECT_EQ(code[1].what, statement::kind::while_loop);
  EXPECT_EQ(code[2].what, statement::kind::pass);
}

TEST(ParsePythonCode, ReadsNoCodeAsNoStatements) {
  EXPECT_TRUE(parse_python_code("").empty());
  EXPECT_TRUE(parse_python_code("\n  # nothing\n\n").empty());
  EXPECT_EQ(parse_python_code("pass").size(), 1u);
}

TEST(ParsePythonCode, NamesTheLineOfAnError) {
  EXPECT_EQ(failure_of_code("a = 1\nb = (2\n"),
            "invalid: line 2: cannot parse 'b = (2': expected ')' at column 7");
  EXPECT_EQ(failure_of_code("a = 1\n  b = 2"), "invalid: line 2: unexpected indent");
  EXPECT_EQ(failure_of_code("if a:\nb = 2"), "invalid: line 1: 'if' without an indented body");
  EXPECT_EQ(failure_of_code("if a\n  b = 2"), "invalid: line 1: 'if' without ':'");
  EXPECT_EQ(failure_of_code("else:\n  b = 2"), "invalid: line 1: 'else' without 'if'");
  EXPECT_EQ(failure_of_code("return 1"),
            "unsupported: line 1: statement 'return' is not supported here");
  EXPECT_EQ(failure_of_code("a = 'x'"), "unsupported: line 1: strings are not supported");
  EXPECT_EQ(failure_of_code("for i in items:\n  pass"),
            "unsupported: line 1: only 'for name in range(...)' loops are supported");
  EXPECT_EQ(failure_of_code("f(x) = 1"),
            "unsupported: line 1: assignment to 'f(x)' (a name or its subscript can be assigned)");
  EXPECT_EQ(failure_of_code("a, b = 1, 2"),
            "invalid: line 1: cannot parse 'a, b = 1, 2': expected the end at column 2");
}

TEST(ParsePythonCode, ReadsCallsThatLeaveTwoResultsAsTheirAssignments) {
  auto const code = parse_python_code("np_frexp(x + 1, m, e)\npy_divmod(a, b, q, r)\nf(x, m, e)");
  ASSERT_EQ(code.size(), 5u);
  EXPECT_EQ(to_text(code[0].target), "m");
  EXPECT_EQ(to_text(code[0].value), "frexp_mantissa(x + 1)");
  EXPECT_EQ(to_text(code[1].target), "e");
  EXPECT_EQ(to_text(code[1].value), "frexp_exponent(x + 1)");
  EXPECT_EQ(to_text(code[2].value), "floor_divide(a, b)");
  EXPECT_EQ(to_text(code[3].value), "mod(a, b)");
  EXPECT_EQ(code[4].what, statement::kind::expression);
}

TEST(ParsePythonCode, RefusesDeepNesting) {
  std::string code, chain = "if a: b = 1\n";
  for (int i = 0; i < 2000; ++i) {
    code += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
    chain += "elif a: b = 1\n";
  }
  EXPECT_TRUE(failure_of_code(code).ends_with("statements are nested deeper than 500 levels"));
  EXPECT_TRUE(failure_of_code(chain).ends_with("statements are nested deeper than 500 levels"));
}

} // namespace
