#pragma once
/// \file Types of the values that Python code and symbolic text compute, as C++ computes them:
/// what is printed and what is declared for it follow from one set of rules.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "assay/dtype.hpp"
#include "assay/expression.hpp"
#include "sdfg/functions.hpp"

namespace assay {

[[nodiscard]] bool is_complex(dtype) noexcept;
/// Of a complex type: that of its real and imaginary part.
[[nodiscard]] dtype part_of(dtype) noexcept;
/// Type of `a op b` after C++'s usual arithmetic conversions; half computes as float.
[[nodiscard]] dtype promoted(dtype a, dtype b) noexcept;
/// Of a literal: 32 bits where they hold it.
[[nodiscard]] dtype type_of_integer(std::int64_t) noexcept;
/// math.nan, numpy.inf, dace.pi, ...: "nan", "inf", "pi", "e" or "tau"; else empty.
[[nodiscard]] std::string_view constant_name(expression const&);

/// nan and infinity, which are as precise as what they stand beside.
[[nodiscard]] bool takes_any_precision(expression const&);

/// The value of an integer literal, a minus sign before it included.
[[nodiscard]] std::optional<std::int64_t> integer_literal(expression const&);
/// Of `op operand`.
[[nodiscard]] dtype type_of_unary(std::string_view op, dtype operand) noexcept;
/// Of a binary expression whose operands have these types; powers and shifts follow from their
/// literals too.
[[nodiscard]] dtype type_of_binary(expression const&, dtype left, dtype right);
/// Of a function whose arguments promote to `joined`.
[[nodiscard]] dtype type_of_function(function_row const&, dtype joined) noexcept;

/// The type of a name, or of the elements of the container that it names; nothing: not known yet.
using type_of_name = std::function<std::optional<dtype>(std::string const&)>;
/// Of any expression; nothing where it follows from names whose types are not known yet, or from
/// what has no type (a function that nobody knows).
[[nodiscard]] std::optional<dtype> type_of(expression const&, type_of_name const&);
/// Whether the value is an integer in Python although C++ may compute it as a floating number:
/// what math.floor, round and their like give, and sums and products of such.
[[nodiscard]] bool is_whole(expression const&, type_of_name const&);

} // namespace assay
