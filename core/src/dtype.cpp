#include "assay/dtype.hpp"

#include <array>

namespace assay {
namespace {

struct row {
  dtype type;
  std::string_view name, cpp;
  std::size_t bytes;
};

// In the order of the enum: the index of a row is the value of its type.
constexpr std::array<row, 14> table{{
    {dtype::boolean, "bool", "bool", 1},
    {dtype::int8, "int8", "signed char", 1},
    {dtype::int16, "int16", "short", 2},
    {dtype::int32, "int32", "int", 4},
    {dtype::int64, "int64", "long long", 8},
    {dtype::uint8, "uint8", "unsigned char", 1},
    {dtype::uint16, "uint16", "unsigned short", 2},
    {dtype::uint32, "uint32", "unsigned int", 4},
    {dtype::uint64, "uint64", "unsigned long long", 8},
    {dtype::float16, "float16", "assay::gen::half", 2},
    {dtype::float32, "float32", "float", 4},
    {dtype::float64, "float64", "double", 8},
    {dtype::complex64, "complex64", "assay::gen::complex64", 8},
    {dtype::complex128, "complex128", "assay::gen::complex128", 16},
}};

constexpr row const& of(dtype type) noexcept { return table[static_cast<std::size_t>(type)]; }

} // namespace

std::size_t size_bytes(dtype type) noexcept { return of(type).bytes; }
std::string_view name(dtype type) noexcept { return of(type).name; }
std::string_view cpp_name(dtype type) noexcept { return of(type).cpp; }

std::optional<dtype> parse_dtype(std::string_view text) noexcept {
  for (auto const& entry : table)
    if (entry.name == text) return entry.type;
  return std::nullopt;
}

bool is_floating(dtype type) noexcept {
  return type == dtype::float16 || type == dtype::float32 || type == dtype::float64;
}
bool is_integral(dtype type) noexcept { return type <= dtype::uint64; }

} // namespace assay
