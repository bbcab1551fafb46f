#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/structure_type.hpp"
#include "emit/code.hpp"
#include "sdfg/value_type.hpp"

namespace {

using assay::dtype;
using assay::emission::code_printer;
using assay::emission::scope;
using assay::emission::writer;

/// Python code over a = -7, b = 2 (int64), i = 7, j = -2 (int32), x = -7.5, y = 2.0 (float64), f =
/// 0.5 (float32), t = True, n = False; it assigns `out`. `expected` is what Python 3.11 gives.
struct sample {
  char const* code;
  double expected;
};

std::vector<sample> const samples{
    {"out = a // b", -4},
    {"out = i // j", -4},
    {"out = a // j", 3},
    {"out = x // y", -4},
    {"out = a % b", 1},
    {"out = i % j", -1},
    {"out = a % j", -1},
    {"out = x % y", 0.5},
    {"out = 7.5 % j", -0.5},
    {"out = a / b", -3.5},
    {"out = i / j", -3.5},
    {"out = 1 / 2", 0.5},
    {"out = f / b", 0.25},
    {"out = b ** 10", 1024},
    {"out = a ** 2", 49},
    {"out = a ** 3", -343},
    {"out = a ** 0", 1},
    {"out = b ** -1", 0.5},
    {"out = y ** -2", 0.25},
    {"out = y ** f", 1.4142135623730951},
    {"out = b ** b", 4},
    {"out = 2 ** 40", 1099511627776.0},
    {"out = -a ** 2", -49},
    {"out = 1 << 40", 1099511627776.0},
    {"out = a >> 1", -4},
    {"out = ~a", 6},
    {"out = a & 12", 8},
    {"out = i | 8", 15},
    {"out = i ^ 2", 5},
    {"out = 0 or i", 7},
    {"out = i or 3", 7},
    {"out = i and b", 2},
    {"out = n and t", 0},
    {"out = not n", 1},
    {"out = a < b", 1},
    {"out = (a < b) == t", 1},
    {"out = abs(a)", 7},
    {"out = abs(x)", 7.5},
    {"out = min(a, b, i)", -7},
    {"out = max(x, y, 3)", 3},
    {"out = min(dace.int64(i), 3)", 3},
    {"out = int(x)", -7},
    {"out = int(2.7)", 2},
    {"out = float(i) / b", 3.5},
    {"out = bool(i)", 1},
    {"out = double(0)", 0},
    {"out = dace.float32(0.1)", 0.10000000149011612},
    {"out = round(2.5)", 2},
    {"out = round(3.5)", 4},
    {"out = ROUND(2.5)", 2},
    {"out = math.floor(x)", -8},
    {"out = math.ceil(x)", -7},
    {"out = math.sqrt(y)", 1.4142135623730951},
    {"out = sqrt(b)", 1.4142135623730951},
    {"out = math.exp(y)", 7.38905609893065},
    {"out = numpy.sin(y)", 0.9092974268256817},
    {"out = math.atan2(y, x)", 2.8809902618424523},
    {"out = math.fmod(x, y)", -1.5},
    {"out = math.pi", 3.141592653589793},
    {"out = math.isnan(x if n else math.nan)", 1},
    {"out = x if t else math.nan", -7.5},
    {"out = f if t else math.nan", 0.5},
    {"out = math.inf > 1.0e308", 1},
    {"out = (i if a > b else j) + 1", -1},
    {"out = 1 if a > b else 2 if b > i else 3", 3},
    {"out = dace.int64(i) * 1000000007", 7000000049.0},
    {"out = 3000000000 + i", 3000000007.0},
    {"r = a - b\nout = r * r", 81},
    {"r = 1\nr += 0.5\nout = r", 1.5},
    {"r = a\nr //= b\nr *= r\nout = r", 16},
    {"if a < b:\n  r = 1\nelse:\n  r = 2.5\nout = r", 1},
    {"if a > b:\n  r = 1\nelse:\n  r = 2.5\nout = r", 2.5},
    {"s = 0\nfor k in range(2, 9, 3):\n  s += k\nout = s", 15},
    {"s = 0\nfor k in range(5, 0, -2):\n  s = s * 10 + k\nout = s", 531},
    {"s = 0\ne = 3\nfor k in range(0, e):\n  e = e + 1\n  s += k\nout = s", 3},
    {"s = 1\nwhile s < 100:\n  s *= 3\nout = s", 243},
    {"out = pow(b, 10)", 1024},
    {"out = pow(b, -1)", 0.5},
    {"out = math.pow(i, j)", 0.02040816326530612},
    {"out = math.pow(b, b)", 4},
    {"out = numpy.power(a, 3)", -343},
    {"out = power(y, -2)", 0.25},
    {"out = math.gcd(a, 21)", 7},
    {"out = math.lcm(i, 4)", 28},
    {"out = py_mod(a, b)", 1},
    {"out = cpp_mod(a, b)", -1},
    {"out = minimum(a, i)", -7},
    {"out = maximum(x, b)", 2},
    {"out = floor_divide(a, b)", -4},
    {"out = absolute(a) / 2", 3.5},
    {"out = sign(x)", -1},
    {"out = int_ceil(i, b)", 4},
    {"out = log1p(complex(x, y)).real", 1.9170307319792173},
    {"out = log1p(complex(x, y)).imag", 2.843093722003614},
    {"out = log1p(complex(1e-9, 0)).real", 9.999999995e-10},
    {"out = log1p(complex(-1, 1e-10)).real", -23.025850929940457},
    {"out = log1p(complex(1e200, 0)).real", 460.51701859880916},
    {"out = log1p(complex(-0.4999, 1e200)).real", 460.51701859880916},
    {"out = expm1(complex(f, y)).real", -1.6861101411498431},
    {"out = expm1(complex(f, y)).imag", 1.4991780090003948},
    {"out = expm1(complex(1e-9, 0)).real", 1.0000000005e-9},
    {"out = math.trunc(x)", -7},
    {"out = math.floor(x) / 3", -8.0 / 3},
    {"out = abs(a) ** -1", 0.14285714285714285},
    // What DaCe declares for an annotation holds for all that is assigned later.
    {"r: dace.float32\nr = 0.1\nout = r", 0.10000000149011612},
    {"r = 0.1\nout = r", 0.1},
    {"r: dace.int32 = 2.75\nr = x\nout = r", -7},
};

scope scope_of_samples() {
  scope names;
  names.declare("a", {.type = dtype::int64});
  names.declare("b", {.type = dtype::int64});
  names.declare("i", {.type = dtype::int32});
  names.declare("j", {.type = dtype::int32});
  names.declare("x", {.type = dtype::float64});
  names.declare("y", {.type = dtype::float64});
  names.declare("f", {.type = dtype::float32});
  names.declare("t", {.type = dtype::boolean});
  names.declare("n", {.type = dtype::boolean});
  names.declare("out", {.type = dtype::float64});
  return names;
}

std::filesystem::path scratch_folder(std::string const& name) {
  auto const folder = std::filesystem::path(testing::TempDir()) / ("assay_emit_" + name);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(PythonCode, MeansTheSameInCpp) {
  writer out;
  out.line("#include <cstdio>");
  out.line("#include \"assay/generated/complex.hpp\"");
  out.line("#include \"assay/generated/math.hpp\"");
  out.open("int main()");
  for (auto const& one : samples) {
    auto names = scope_of_samples();
    out.open("");
    out.line(
        "long long a = -7, b = 2; int i = 7, j = -2; double x = -7.5, y = 2.0; float f = 0.5f;");
    out.line("bool t = true, n = false; double out = -12345;");
    out.line("(void)a; (void)b; (void)i; (void)j; (void)x; (void)y; (void)f; (void)t; (void)n;");
    code_printer code(names, "tasklet 'sample'", false);
    code.statements(out, assay::parse_python_code(one.code));
    out.line("std::printf(\"%.17g\\n\", out);");
    out.close();
  }
  out.close();

  auto const folder = scratch_folder("python");
  std::ofstream(folder / "main.cpp") << out.text();
  auto const build = std::string(ASSAY_TEST_CXX) +
                     " -std=c++20 -O1 -Werror=uninitialized -I" ASSAY_TEST_INCLUDE " " +
                     (folder / "main.cpp").string() + " -o " + (folder / "main").string();
  ASSERT_EQ(std::system(build.c_str()), 0) << out.text();
  ASSERT_EQ(
      std::system(((folder / "main").string() + " > " + (folder / "out.txt").string()).c_str()), 0);
  std::ifstream results(folder / "out.txt");
  std::size_t compared = 0;
  for (std::string line; std::getline(results, line); ++compared) {
    ASSERT_LT(compared, samples.size());
    EXPECT_DOUBLE_EQ(std::stod(line), samples[compared].expected) << samples[compared].code;
  }
  EXPECT_EQ(compared, samples.size());
}

std::string printed(char const* code, bool in_kernel = true) {
  auto names = scope_of_samples();
  names.declare("p", {.type = dtype::float64,
                      .is_pointer = true,
                      .strides = {assay::expression::name("a"), assay::expression::integer(4),
                                  assay::expression::integer(1)},
                      .unit = {false, true, false}});
  names.declare("h", {.type = dtype::float64,
                      .is_pointer = true,
                      .strides = {assay::expression::integer(1)},
                      .unit = {false},
                      .resolution = {.kind = assay::plan::reduction::sum,
                                     .atomic = true,
                                     .left = {},
                                     .right = {},
                                     .combine = {}}});
  writer out;
  code_printer printer(names, "tasklet 'sample'", in_kernel);
  printer.statements(out, assay::parse_python_code(code));
  return out.text();
}

TEST(PythonCode, IndexesWithStridesAndSkipsDimensionsOfOneElement) {
  EXPECT_EQ(printed("out = p[b, 0, 1]"), "out = p[b * a + 1];\n");
  EXPECT_EQ(printed("out = p[b, 1]"), "out = p[b * a + 1];\n");
  EXPECT_EQ(printed("out = p[b, b, 0]"), "out = p[b * a + b * 4];\n");
}

TEST(PythonCode, ComputesIndicesIn64Bits) {
  EXPECT_EQ(printed("out = p[i * 100000 + j, 0]"),
            "out = p[((static_cast<long long>(i) * 100000) + static_cast<long long>(j)) * a];\n");
}

TEST(PythonCode, CombinesElementsAtomicallyInKernelsOnly) {
  EXPECT_EQ(printed("h[i] = x"),
            "assay::gen::atomic_reduce<assay::gen::sum>(&h[static_cast<long long>(i)], x);\n");
  EXPECT_EQ(printed("h[i] = x", false),
            "assay::gen::reduce<assay::gen::sum>(&h[static_cast<long long>(i)], x);\n");
}

TEST(PythonCode, DeclaresLocalsWhereTheyAreAssignedFirstOrInFront) {
  EXPECT_EQ(printed("r = a\nout = r"), "long long r = a;\nout = r;\n");
  EXPECT_EQ(printed("if t:\n  r = a\nelse:\n  r = x\nout = r"),
            "double r;\nif (t) {\n  r = a;\n} else {\n  r = x;\n}\nout = r;\n");
}

TEST(PythonCode, ComputesWithComplexNumbers) {
  EXPECT_EQ(printed("out = abs(2j * x)"),
            "out = assay::gen::abs((assay::gen::complex128(0.0, 2.0) * x));\n");
  EXPECT_EQ(printed("z = 1j + x\nout = z.real"),
            "assay::gen::complex128 z = assay::gen::complex128(0.0, 1.0) + x;\n"
            "out = assay::gen::real(z);\n");
  EXPECT_EQ(printed("out = 1j * x"),
            "out = assay::gen::real((assay::gen::complex128(0.0, 1.0) * x));\n")
      << "as numpy does";
  EXPECT_EQ(printed("out = x.imag"), "out = static_cast<double>(0);\n") << "of a real number";
}

TEST(PythonCode, ReadsNumpysFunctionsAsOperators) {
  EXPECT_EQ(printed("out = add(x, a)"), "out = x + a;\n");
  EXPECT_EQ(printed("out = reciprocal(x)"), "out = 1 / x;\n");
  EXPECT_EQ(printed("out = decltype(x)(a)"), "out = static_cast<double>(a);\n");
}

/// What is printed for a value and what is declared for a symbol that is assigned from it.
TEST(PythonCode, HasTheTypesThatSymbolsAreDeclaredWith) {
  auto names = scope_of_samples();
  names.declare("w", {.type = dtype::complex64});
  names.declare("k", {.type = dtype::int8});
  names.declare("u", {.type = dtype::uint64});
  auto const named = [&](std::string const& name) -> std::optional<dtype> {
    auto const* found = names.find(name);
    return found == nullptr ? std::nullopt : std::optional(found->type);
  };
  code_printer const code(names, "tasklet 'sample'", false);
  struct typed {
    char const* code;
    dtype type;
  };
  std::vector<typed> const cases{
      {"k", dtype::int8},
      {"-k", dtype::int32},
      {"k if t else n", dtype::int32},
      {"t or k", dtype::int32},
      {"t + t", dtype::int32},
      {"t & n", dtype::boolean},
      {"~t", dtype::boolean},
      {"i + a", dtype::int64},
      {"u - 1", dtype::uint64},
      {"1 << i", dtype::int64},
      {"i << a", dtype::int32},
      {"1000 * 1000", dtype::int64},
      {"i / i", dtype::float64},
      {"f / i", dtype::float32},
      {"a // b", dtype::int64},
      {"i ** -1", dtype::float64},
      {"i ** 2", dtype::int32},
      {"f ** i", dtype::float32},
      {"pow(i, -2)", dtype::float64},
      {"math.pow(i, i)", dtype::float64},
      {"math.gcd(i, j)", dtype::int32},
      {"lcm(a, i)", dtype::int64},
      {"py_mod(i, j)", dtype::int32},
      {"minimum(i, a)", dtype::int64},
      {"maximum(f, i)", dtype::float32},
      {"floor_divide(i, j)", dtype::int32},
      {"absolute(k)", dtype::int32},
      {"abs(w)", dtype::float32},
      {"abs(f)", dtype::float32},
      {"w.real", dtype::float32},
      {"w * 2", dtype::complex64},
      {"w ** w", dtype::complex64},
      {"sqrt(w)", dtype::complex64},
      {"sqrt(i)", dtype::float64},
      {"sqrt(f)", dtype::float32},
      {"math.floor(f)", dtype::float32},
      {"math.pi", dtype::float64},
      {"f if t else math.inf", dtype::float32},
      {"isnan(f)", dtype::boolean},
      {"int(x)", dtype::int64},
      {"dace.float32(a)", dtype::float32},
      {"heaviside(f, f)", dtype::float32},
      {"complex(x, y)", dtype::complex128},
      {"not a", dtype::boolean},
      {"a < x", dtype::boolean},
  };
  for (auto const& one : cases) {
    auto const e = assay::parse_python_expression(one.code);
    EXPECT_EQ(code.value(e).type, one.type) << one.code << ": " << name(code.value(e).type);
    EXPECT_EQ(assay::type_of(e, named), one.type) << one.code;
  }
  EXPECT_EQ(assay::type_of(assay::parse_python_expression("frobnicate(a)"), named), std::nullopt);
}

TEST(PythonCode, ComputesWhatSymbolsOf64BitsAreAssignedIn64Bits) {
  auto names = scope_of_samples();
  code_printer const code(names, "program 'sample'", false);
  auto const assigned = [&](char const* symbol, char const* text) {
    return code.assigned_value(symbol, assay::parse_python_expression(text));
  };
  EXPECT_EQ(assigned("a", "i * j"), "static_cast<long long>(i) * static_cast<long long>(j)");
  EXPECT_EQ(assigned("a", "i"), "i");
  EXPECT_EQ(assigned("a", "a * i"), "a * static_cast<long long>(i)");
  EXPECT_EQ(assigned("a", "i * j + a"),
            "(static_cast<long long>(i) * static_cast<long long>(j)) + a");
  EXPECT_EQ(assigned("a", "int(i * j)"),
            "static_cast<long long>((static_cast<long long>(i) * static_cast<long long>(j)))");
  EXPECT_EQ(assigned("i", "i + 1"), "i + 1") << "a symbol of 32 bits";
  EXPECT_EQ(assigned("x", "i * j"), "i * j");
  // The heads of loops assign symbols too.
  EXPECT_EQ(code.comma_list(assay::parse_python_code("a = a + i * j")),
            "a = a + (static_cast<long long>(i) * static_cast<long long>(j))");
  EXPECT_EQ(code.comma_list(assay::parse_python_code("i = i + j")), "i = i + j");
}

TEST(PythonCode, KnowsWhichFloatingValuesAreIntegersInPython) {
  auto const named = [](std::string const& name) {
    return std::optional(name == "i" ? dtype::int32 : dtype::float64);
  };
  auto const whole = [&](char const* code) {
    return assay::is_whole(assay::parse_python_expression(code), named);
  };
  for (auto const* code :
       {"math.floor(x)", "round(x) + i", "-ceil(x)", "max(floor(x), i)", "floor(x) // 2",
        "floor(x) if x > 1 else i", "x // 1", "int_ceil(x, 1) + 1", "ROUND(x)"})
    EXPECT_TRUE(whole(code)) << code;
  for (auto const* code : {"x", "floor(x) / 2", "numpy.floor(x)", "floor(x) + x", "sqrt(i)",
                           "floor(x) if x > 1 else x", "i ** -1", "x // 2"})
    EXPECT_FALSE(whole(code)) << code;
}

TEST(PythonCode, RefusesRealPowersOfComplexNumbers) {
  auto names = scope_of_samples();
  code_printer const code(names, "tasklet 'sample'", true);
  for (std::string const call : {"math.pow", "np_float_pow"}) {
    try {
      static_cast<void>(code.value(assay::parse_python_expression(call + "(complex(x, y), 2)")));
      ADD_FAILURE() << "accepted: " << call;
    } catch (assay::error const& refused) {
      EXPECT_EQ(std::string(refused.what()),
                "tasklet 'sample' calls '" + call + "' with a complex number");
    }
  }
  auto const power = assay::parse_python_expression("pow(complex(x, y), 2)"); // twin
  EXPECT_EQ(code.value(power).type, dtype::complex128);
}

TEST(PythonCode, RefusesStructuresWhereNumbersBelong) {
  auto const pair =
      assay::structure_type("sample_pair", {{"val", dtype::float64}, {"idx", dtype::int32}});
  std::vector<std::pair<char const*, char const*>> const cases{
      {"out = -s", "uses '-' on a structure"},
      {"out = not s", "uses 'not' on a structure"},
      {"out = s + 1", "uses '+' on a structure"},
      {"out = sqrt(s)", "calls 'sqrt' with a structure"},
      {"out = dace.float64(s)", "calls 'dace.float64' with a structure"},
      {"out = s", "assigns the structure 'sample_pair' to 'out', which is a number"},
      {"s = x", "assigns a number to 's', which is the structure 'sample_pair'"},
      {"r = s\nr = x", "assigns a structure and something else to 'r'"},
      {"out = 1 if s else 2", "decides by a structure"},
      {"if s:\n  out = 1", "decides by a structure"},
      {"while s:\n  out = 1", "decides by a structure"},
      {"for q in range(s):\n  out = 1", "counts with a structure"},
  };
  auto const print = [&](char const* code) {
    auto names = scope_of_samples();
    names.declare("s", {.type = pair});
    writer out;
    code_printer printer(names, "tasklet 'sample'", true);
    printer.statements(out, assay::parse_python_code(code));
    return out.text();
  };
  for (auto const& [code, message] : cases) {
    try {
      static_cast<void>(print(code));
      ADD_FAILURE() << "accepted: " << code;
    } catch (assay::error const& failure) {
      EXPECT_EQ(failure.what(), std::string("tasklet 'sample' ") + message) << code;
      EXPECT_EQ(failure.code(), assay::errc::unsupported) << code;
    }
  }
  // The twin: what structures are for.
  EXPECT_EQ(print("r = s\nout = r.val if r.idx > 1 else -r.val"),
            "sample_pair_val_float64_idx_int32 r = s;\n"
            "out = (r.idx > 1) ? r.val : (-r.val);\n");
}

struct refusal {
  char const* code;
  char const* message;
  assay::errc kind = assay::errc::unsupported;
};

TEST(PythonCode, RefusesWhatItDoesNotKnowByName) {
  std::vector<refusal> const cases{
      {"out = q + 1", "tasklet 'sample' reads the name 'q' that nothing defines",
       assay::errc::invalid_input},
      {"out = frobnicate(x)", "tasklet 'sample' calls 'frobnicate', which is not known"},
      {"out = scipy.erf(x)", "tasklet 'sample' calls 'scipy.erf', which is not known"},
      {"out = sqrt(x, y)", "tasklet 'sample' calls 'sqrt' with 2 arguments"},
      {"out = p", "tasklet 'sample' uses the array 'p' without an index"},
      {"out = p[a]", "tasklet 'sample' indexes 'p' with 1 dimensions, and it has 2"},
      {"out = x[2]", "tasklet 'sample' indexes the scalar 'x'"},
      {"out = p[x, 0]", "tasklet 'sample' indexes 'p' with a value that is no integer"},
      {"out = erf(2j)", "tasklet 'sample' calls 'erf' with a complex number"},
      {"q: frobnicate\nq = 1",
       "tasklet 'sample' declares 'q' with the type 'frobnicate', which is not known"},
      {"q: dace.int32\nq: dace.float64 = 1", "tasklet 'sample' declares 'q' with two types"},
      {"out = x & 1", "tasklet 'sample' uses '&' on values that are no integers"},
  };
  for (auto const& one : cases) {
    try {
      static_cast<void>(printed(one.code));
      ADD_FAILURE() << "accepted: " << one.code;
    } catch (assay::error const& failure) {
      EXPECT_STREQ(failure.what(), one.message) << one.code;
      EXPECT_EQ(failure.code(), one.kind) << one.code;
    }
  }
}

} // namespace
