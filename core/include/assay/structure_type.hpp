#pragma once
/// \file Structures as element types, e.g. the pairs of a value and its index that numpy's argmax
/// combines.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/dtype.hpp"

namespace assay {

struct structure_field {
  std::string name;
  dtype type{};

  friend bool operator==(structure_field const&, structure_field const&) = default;
};

/// The type of a structure: the same value for the same name and fields, as long as the process
/// lives. Laid out as C++ lays out its fields in their order; the C++ name tells the fields, since
/// files use one name for several. Any thread may call it. \throws error{unsupported} past 200
/// different structures or where two would have one C++ name, error{invalid_input} without fields,
/// error{unsupported} for a field that is a structure itself.
[[nodiscard]] dtype structure_type(std::string const& name, std::vector<structure_field> fields);

[[nodiscard]] bool is_structure(dtype) noexcept;
/// Of a structure; anything else has none.
[[nodiscard]] std::span<structure_field const> fields_of(dtype) noexcept;
/// The C++ definitions of the structures whose C++ names stand in the text, one a line.
[[nodiscard]] std::string structure_definitions(std::string_view cpp_text);

} // namespace assay
