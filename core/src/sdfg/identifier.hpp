#pragma once
/// \file Which names of files can be names in C++.
#include <string_view>

namespace assay::sdfg {

/// A C++ identifier of ASCII letters that is no keyword.
[[nodiscard]] bool is_identifier(std::string_view) noexcept;

} // namespace assay::sdfg
