#include "assay/dtype.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "assay/error.hpp"
#include "assay/structure_type.hpp"

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

struct structure {
  std::string name, cpp_name;
  std::vector<structure_field> fields;
  row as_row{};
};

/// Structures are numbered behind the types that C++ has, and never change or go.
constexpr std::size_t most_structures = 200;
std::array<structure, most_structures> structures;
std::atomic<std::size_t> structure_count = 0;
std::mutex structures_grow;

structure const* structure_of(dtype type) noexcept {
  auto const index = static_cast<std::size_t>(type) - table.size();
  return index < structure_count.load(std::memory_order_acquire) ? &structures[index] : nullptr;
}

row const& of(dtype type) noexcept {
  if (auto const* found = structure_of(type)) return found->as_row;
  return table[static_cast<std::size_t>(type)];
}

/// C++'s rule: each field at a multiple of its alignment, the whole a multiple of the largest.
std::size_t laid_out_bytes(std::vector<structure_field> const& fields) {
  std::size_t end = 0, alignment = 1;
  for (auto const& field : fields) {
    bool const is_complex = field.type == dtype::complex64 || field.type == dtype::complex128;
    std::size_t const own = size_bytes(field.type) / (is_complex ? 2 : 1);
    alignment = std::max(alignment, own);
    end = (end + own - 1) / own * own + size_bytes(field.type);
  }
  return (end + alignment - 1) / alignment * alignment;
}

} // namespace

dtype structure_type(std::string const& name, std::vector<structure_field> fields) {
  if (fields.empty()) throw error(errc::invalid_input, "structure '" + name + "' has no fields");
  std::string cpp = name;
  for (auto const& field : fields) {
    if (is_structure(field.type))
      throw error(errc::unsupported, "structure '" + name + "' holds another structure");
    cpp += "_" + field.name + "_" + std::string(assay::name(field.type));
  }
  std::scoped_lock const guard(structures_grow);
  std::size_t const count = structure_count.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i) {
    if (structures[i].cpp_name != cpp) continue;
    if (structures[i].name != name || structures[i].fields != fields)
      throw error(errc::unsupported, "structures '" + structures[i].name + "' and '" + name +
                                         "' whose names and fields read the same");
    return static_cast<dtype>(table.size() + i);
  }
  if (count == most_structures)
    throw error(errc::unsupported, "more than " + std::to_string(most_structures) + " structures");
  auto& added = structures[count];
  auto const type = static_cast<dtype>(table.size() + count);
  added.name = name;
  added.cpp_name = std::move(cpp);
  added.fields = std::move(fields);
  added.as_row = {type, added.name, added.cpp_name, laid_out_bytes(added.fields)};
  structure_count.store(count + 1, std::memory_order_release);
  return type;
}

bool is_structure(dtype type) noexcept { return structure_of(type) != nullptr; }

std::span<structure_field const> fields_of(dtype type) noexcept {
  auto const* found = structure_of(type);
  return found == nullptr ? std::span<structure_field const>() : found->fields;
}

namespace {
/// The names of structures are prefixes of one another.
bool has_word(std::string_view text, std::string_view word) {
  auto const is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    std::size_t const end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}
} // namespace

std::string structure_definitions(std::string_view cpp_text) {
  std::vector<std::string> lines;
  std::size_t const count = structure_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_word(cpp_text, structures[i].cpp_name)) continue;
    std::string line = "struct " + structures[i].cpp_name + " {";
    for (auto const& field : structures[i].fields)
      line += " " + std::string(cpp_name(field.type)) + " " + field.name + ";";
    lines.push_back(line + " };\n");
  }
  std::ranges::sort(lines); // the order in which they were met is the process's, not the program's
  std::string result;
  for (auto const& line : lines) result += line;
  return result;
}

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
