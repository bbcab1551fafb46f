#include "sdfg/functions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t any_number = 64;
constexpr std::array functions{
    function_row{"sqrt", "sqrt", 1, 1, result_rule::floating},
    function_row{"cbrt", "cbrt", 1, 1, result_rule::floating},
    function_row{"exp", "exp", 1, 1, result_rule::floating},
    function_row{"exp2", "exp2", 1, 1, result_rule::floating},
    function_row{"expm1", "expm1", 1, 1, result_rule::floating},
    function_row{"log", "log", 1, 1, result_rule::floating},
    function_row{"ln", "log", 1, 1, result_rule::floating},
    function_row{"log2", "log2", 1, 1, result_rule::floating},
    function_row{"log10", "log10", 1, 1, result_rule::floating},
    function_row{"log1p", "log1p", 1, 1, result_rule::floating},
    function_row{"sin", "sin", 1, 1, result_rule::floating},
    function_row{"cos", "cos", 1, 1, result_rule::floating},
    function_row{"tan", "tan", 1, 1, result_rule::floating},
    function_row{"asin", "asin", 1, 1, result_rule::floating},
    function_row{"acos", "acos", 1, 1, result_rule::floating},
    function_row{"atan", "atan", 1, 1, result_rule::floating},
    function_row{"arcsin", "asin", 1, 1, result_rule::floating},
    function_row{"arccos", "acos", 1, 1, result_rule::floating},
    function_row{"arctan", "atan", 1, 1, result_rule::floating},
    function_row{"sinh", "sinh", 1, 1, result_rule::floating},
    function_row{"cosh", "cosh", 1, 1, result_rule::floating},
    function_row{"tanh", "tanh", 1, 1, result_rule::floating},
    function_row{"asinh", "asinh", 1, 1, result_rule::floating},
    function_row{"acosh", "acosh", 1, 1, result_rule::floating},
    function_row{"atanh", "atanh", 1, 1, result_rule::floating},
    function_row{"arcsinh", "asinh", 1, 1, result_rule::floating},
    function_row{"arccosh", "acosh", 1, 1, result_rule::floating},
    function_row{"arctanh", "atanh", 1, 1, result_rule::floating},
    function_row{"floor", "floor", 1, 1, result_rule::rounded},
    function_row{"ceil", "ceil", 1, 1, result_rule::rounded},
    function_row{"ceiling", "ceil", 1, 1, result_rule::rounded},
    function_row{"trunc", "trunc", 1, 1, result_rule::rounded},
    function_row{"round", "rint", 1, 1, result_rule::rounded},
    function_row{"ROUND", "rint", 1, 1, result_rule::rounded},
    function_row{"rint", "rint", 1, 1, result_rule::floating},
    function_row{"fabs", "fabs", 1, 1, result_rule::floating},
    function_row{"erf", "erf", 1, 1, result_rule::floating},
    function_row{"erfc", "erfc", 1, 1, result_rule::floating},
    function_row{"gamma", "tgamma", 1, 1, result_rule::floating},
    function_row{"tgamma", "tgamma", 1, 1, result_rule::floating},
    function_row{"lgamma", "lgamma", 1, 1, result_rule::floating},
    function_row{"atan2", "atan2", 2, 2, result_rule::floating},
    function_row{"arctan2", "atan2", 2, 2, result_rule::floating},
    function_row{"hypot", "hypot", 2, 2, result_rule::floating},
    function_row{"fmod", "fmod", 2, 2, result_rule::floating},
    function_row{"copysign", "copysign", 2, 2, result_rule::floating},
    function_row{"gcd", "gcd", 2, 2, result_rule::promoted},
    function_row{"lcm", "lcm", 2, 2, result_rule::promoted},
    function_row{"cpp_mod", "truncated_mod", 2, 2, result_rule::promoted},
    function_row{"py_mod", "mod", 2, 2, result_rule::promoted},
    function_row{"fmin", "fmin", 2, 2, result_rule::floating},
    function_row{"fmax", "fmax", 2, 2, result_rule::floating},
    function_row{"nextafter", "nextafter", 2, 2, result_rule::floating},
    function_row{"ldexp", "ldexp", 2, 2, result_rule::floating},
    function_row{"modf_fraction", "modf_fraction", 1, 1, result_rule::floating},
    function_row{"frexp_mantissa", "frexp_mantissa", 1, 1, result_rule::floating},
    function_row{"frexp_exponent", "frexp_exponent", 1, 1, result_rule::integer},
    function_row{"signbit", "signbit", 1, 1, result_rule::boolean},
    function_row{"true_divide", "true_div", 2, 2, result_rule::floating},
    function_row{"abs", "abs", 1, 1, result_rule::magnitude},
    function_row{"Abs", "abs", 1, 1, result_rule::magnitude},
    function_row{"absolute", "abs", 1, 1, result_rule::magnitude},
    function_row{"sign", "sign", 1, 1, result_rule::promoted},
    function_row{"sign_numpy_2", "sign", 1, 1, result_rule::promoted},
    function_row{"min", "min", 2, any_number, result_rule::promoted},
    function_row{"Min", "min", 2, any_number, result_rule::promoted},
    function_row{"minimum", "min", 2, 2, result_rule::promoted},
    function_row{"max", "max", 2, any_number, result_rule::promoted},
    function_row{"Max", "max", 2, any_number, result_rule::promoted},
    function_row{"maximum", "max", 2, 2, result_rule::promoted},
    function_row{"int_floor", "int_floor", 2, 2, result_rule::promoted},
    function_row{"int_ceil", "int_ceil", 2, 2, result_rule::promoted},
    function_row{"floor_divide", "int_floor", 2, 2, result_rule::promoted},
    function_row{"Mod", "mod", 2, 2, result_rule::promoted},
    function_row{"mod", "mod", 2, 2, result_rule::promoted},
    function_row{"real", "real", 1, 1, result_rule::part},
    function_row{"imag", "imag", 1, 1, result_rule::part},
    function_row{"angle", "angle", 1, 1, result_rule::part},
    function_row{"conj", "conj", 1, 1, result_rule::complex},
    function_row{"conjugate", "conj", 1, 1, result_rule::complex},
    function_row{"isnan", "isnan", 1, 1, result_rule::boolean},
    function_row{"isinf", "isinf", 1, 1, result_rule::boolean},
    function_row{"isfinite", "isfinite", 1, 1, result_rule::boolean},
};

} // namespace

function_row const* find_function(std::string_view name) noexcept {
  auto const found = std::ranges::find(functions, name, &function_row::name);
  return found == functions.end() ? nullptr : &*found;
}

bool takes_complex(std::string_view cpp) noexcept {
  static constexpr std::array<std::string_view, 29> names{
      "real",  "imag",  "angle", "conj", "abs",   "exp",   "exp2",     "log",   "log2", "log10",
      "sqrt",  "sin",   "cos",   "tan",  "sinh",  "cosh",  "tanh",     "asin",  "acos", "atan",
      "asinh", "acosh", "atanh", "rint", "isnan", "isinf", "isfinite", "expm1", "log1p"};
  return std::find(names.begin(), names.end(), cpp) != names.end();
}

std::optional<expression> composition_of(std::string_view dotted, expression_list const& x) {
  auto const base = without_module(dotted);
  if (!base) return std::nullopt;
  auto const name = *base;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> infix{
      {{"add", "+"},
       {"subtract", "-"},
       {"multiply", "*"},
       {"divide", "/"},
       {"logical_and", "and"},
       {"logical_or", "or"},
       {"equal", "=="},
       {"not_equal", "!="},
       {"less", "<"},
       {"less_equal", "<="},
       {"greater", ">"},
       {"greater_equal", ">="},
       {"remainder", "%"}}};
  if (x.size() == 2)
    for (auto const& [function, op] : infix)
      if (function == name) return expression::binary(std::string(op), x[0], x[1]);
  if (name == "heaviside" && x.size() == 2) {
    auto const zero = expression::integer(0), one = expression::integer(1);
    return expression::conditional(
        expression::binary("<", x[0], zero), zero,
        expression::conditional(expression::binary("==", x[0], zero), x[1], one));
  }
  if (name == "py_floor" && x.size() == 2) return expression::binary("//", x[0], x[1]);
  if ((name == "pow" || name == "power") && x.size() == 2 && dotted != "math.pow")
    return expression::binary("**", x[0], x[1]);
  if ((name == "np_float_pow" || name == "pow") && x.size() == 2)
    return expression::binary("**", expression::call("float64", {x[0]}), x[1]);
  if (x.size() != 1) return std::nullopt;
  if (name == "py_floor") return expression::call("floor", x);
  constexpr double degree = 0.017453292519943295;
  if (name == "deg2rad" || name == "radians")
    return expression::binary("*", x[0], expression::real(degree));
  if (name == "rad2deg" || name == "degrees")
    return expression::binary("*", x[0], expression::real(1 / degree));
  if (name == "reciprocal") return expression::binary("/", expression::integer(1), x[0]);
  if (name == "square") return expression::binary("*", x[0], x[0]);
  if (name == "negative") return expression::unary("-", x[0]);
  if (name == "positive") return expression::unary("+", x[0]);
  if (name == "logical_not") return expression::unary("not", x[0]);
  if (name == "invert" || name == "bitwise_not") return expression::unary("~", x[0]);
  return std::nullopt;
}

std::optional<dtype> cast_type(std::string_view name) {
  if (auto const type = parse_dtype(name)) return type;
  if (name == "float" || name == "double" || name == "float_") return dtype::float64;
  if (name == "int" || name == "int_" || name == "long") return dtype::int64;
  if (name == "uint") return dtype::uint64;
  if (name == "bool_") return dtype::boolean;
  return std::nullopt;
}

std::optional<whole_function> whole_function_of(std::string_view dotted, std::size_t arguments) {
  static constexpr std::array<std::pair<std::string_view, whole_function>, 8> names{
      {{"min", whole_function::minimum},
       {"max", whole_function::maximum},
       {"int_floor", whole_function::floor_quotient},
       {"int_ceil", whole_function::ceiling_quotient},
       {"mod", whole_function::modulo},
       {"abs", whole_function::magnitude},
       {"floor", whole_function::floor},
       {"ceil", whole_function::ceiling}}};
  auto const base = without_module(dotted);
  auto const* row = base ? find_function(*base) : nullptr;
  if (row == nullptr) return std::nullopt;
  auto const found =
      std::ranges::find(names, row->cpp, &std::pair<std::string_view, whole_function>::first);
  if (found == names.end()) return std::nullopt;
  // Sympy's Min and Max take one argument too.
  bool const any =
      found->second == whole_function::minimum || found->second == whole_function::maximum;
  if (arguments < (any ? 1 : row->least_arguments) || arguments > row->most_arguments)
    return std::nullopt;
  return found->second;
}

std::optional<dtype> dotted_cast_type(std::string_view dotted) {
  auto const base = without_module(dotted);
  return base ? cast_type(*base) : std::nullopt;
}

std::optional<std::string_view> without_module(std::string_view dotted) {
  auto const dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return dotted;
  static constexpr std::array<std::string_view, 7> modules{"math",      "dace",  "numpy",   "np",
                                                           "dace.math", "cmath", "builtins"};
  if (std::find(modules.begin(), modules.end(), dotted.substr(0, dot)) == modules.end())
    return std::nullopt;
  return dotted.substr(dot + 1);
}

} // namespace assay
