#pragma once
/// \file Element types of SDFG containers.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

enum class dtype : unsigned char {
  boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
  float16, float32, float64, complex64, complex128,
};

/// Bytes of one element.
[[nodiscard]] std::size_t size_bytes(dtype) noexcept;
/// DaCe's name ("float64", "bool").
[[nodiscard]] std::string_view name(dtype) noexcept;
/// C++ type in generated code ("double", "bool", "long long", "int").
[[nodiscard]] std::string_view cpp_name(dtype) noexcept;
/// Empty for a name that is none of the above.
[[nodiscard]] std::optional<dtype> parse_dtype(std::string_view) noexcept;
[[nodiscard]] bool is_floating(dtype) noexcept;
[[nodiscard]] bool is_integral(dtype) noexcept; ///< bool included

} // namespace assay
