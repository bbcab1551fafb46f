#pragma once
/// \file The functions that Python code and symbolic text may call, by name, and what they are in
/// C++.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/dtype.hpp"
#include "assay/expression.hpp"

namespace assay {

/// How the type of a function's result follows from its arguments.
enum class result_rule : std::uint8_t {
  floating,
  rounded, ///< floating in C++, an integer in Python
  promoted,
  boolean,
  integer,
  part,      ///< of a complex number, the type of its parts
  magnitude, ///< the same, also of real numbers
  complex
};
/// A function of assay/generated/math.hpp or complex.hpp.
struct function_row {
  std::string_view name, cpp;
  std::size_t least_arguments, most_arguments;
  result_rule result;
};

/// By its name without the module: math.sqrt, numpy.sqrt and sqrt are one function. Null: not
/// known.
[[nodiscard]] function_row const* find_function(std::string_view name) noexcept;
/// Whether the function of that name in C++ has a form for complex numbers.
[[nodiscard]] bool takes_complex(std::string_view cpp) noexcept;
/// Functions, by their dotted names, that are expressions of others: numpy's, and powers, whose
/// exponent decides what they are.
[[nodiscard]] std::optional<expression> composition_of(std::string_view dotted,
                                                       expression_list const& arguments);
/// Casts under the names of Python, C and DaCe.
[[nodiscard]] std::optional<dtype> cast_type(std::string_view name);
/// What sizes and the host's control flow may call: functions of whole numbers.
enum class whole_function : std::uint8_t {
  minimum,
  maximum,
  floor_quotient,
  ceiling_quotient,
  modulo, ///< with the sign of the divisor
  magnitude,
  floor,
  ceiling
};
/// By any of its names, with any of the modules; nothing for another function, or where it does not
/// take as many arguments.
[[nodiscard]] std::optional<whole_function> whole_function_of(std::string_view dotted,
                                                              std::size_t arguments);
/// A cast by its dotted name.
[[nodiscard]] std::optional<dtype> dotted_cast_type(std::string_view dotted);
/// The last part of a dotted name whose module is one of those that code may use.
[[nodiscard]] std::optional<std::string_view> without_module(std::string_view dotted);

} // namespace assay
