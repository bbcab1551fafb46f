#include "assay/case_file.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "assay/settings.hpp"
#include "program/field_extents.hpp"

namespace assay {
namespace {

using json = nlohmann::json;

[[noreturn]] void fail(std::string const& rule) { throw error(errc::invalid_input, rule); }

json parse_json(std::filesystem::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("cannot be read");
  try {
    return json::parse(stream);
  } catch (json::parse_error const& problem) {
    fail(fmt::format("is not JSON: byte {}", problem.byte));
  }
}

std::string const& text_member(json const& object, char const* member, std::string const& where) {
  auto const found = object.find(member);
  if (found == object.end() || !found->is_string())
    fail(fmt::format("{}: '{}' is no text", where, member));
  return found->get_ref<std::string const&>();
}

double number_member(json const& object, char const* member, double otherwise) {
  auto const found = object.find(member);
  if (found == object.end()) return otherwise;
  if (!found->is_number() || found->get<double>() < 0)
    fail(fmt::format("'{}' is no number from 0 up", member));
  return found->get<double>();
}

case_value read_value(json const& value, std::string const& name,
                      std::filesystem::path const& folder) {
  if (value.is_boolean()) return std::int64_t{value.get<bool>()};
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
      fail(fmt::format("argument '{}': {} does not fit 64 bits", name, value.dump()));
    return value.get<std::int64_t>();
  }
  if (value.is_number_float()) return value.get<double>();
  std::string const where = fmt::format("argument '{}'", name);
  if (!value.is_object()) fail(where + " is neither a number nor a file");
  for (auto const& [member, unused] : value.items())
    if (member != "file" && member != "memory")
      fail(fmt::format("{}: unknown member '{}' (file, memory)", where, member));
  case_array array{folder / text_member(value, "file", where), std::nullopt};
  if (value.contains("memory")) {
    std::string const& memory = text_member(value, "memory", where);
    if (memory != "device" && memory != "host")
      fail(fmt::format("{}: unknown memory '{}' (device, host)", where, memory));
    array.on_device = memory == "device";
  }
  return array;
}

constexpr std::string_view members[] = {"program", "arguments",      "expect", "rtol",
                                        "atol",    "argument_order", "origin"};

/// Calls f(logical C-order index list, element offset) for each element of a strided box.
template <typename F>
void for_each_element(std::vector<std::int64_t> const& shape,
                      std::vector<std::int64_t> const& strides, std::int64_t start, F&& f) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t offset = start;
  for (;;) {
    f(index, offset);
    std::size_t d = shape.size();
    while (d-- > 0) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

std::int64_t offset_of(std::vector<std::int64_t> const& index,
                       std::vector<std::int64_t> const& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

/// The value that makes `shape[d] == extent`, for an expression with one unknown symbol that occurs
/// linearly.
void infer_symbol(expression const& shape, std::int64_t extent, symbol_values& symbols) {
  std::string unknown;
  for (std::string const& name : free_names(shape))
    if (!symbols.contains(name)) {
      if (!unknown.empty()) return;
      unknown = name;
    }
  if (unknown.empty()) return;
  symbol_values trial = symbols;
  trial[unknown] = 0;
  std::int64_t const at_zero = evaluate_integer(shape, trial);
  trial[unknown] = 1;
  std::int64_t const slope = evaluate_integer(shape, trial) - at_zero;
  if (slope == 0 || (extent - at_zero) % slope != 0) return;
  trial[unknown] = (extent - at_zero) / slope;
  if (evaluate_integer(shape, trial) == extent) symbols = std::move(trial);
}

bool is_known(expression const& value, symbol_values const& symbols) {
  return std::ranges::all_of(free_names(value),
                             [&](auto const& name) { return symbols.contains(name); });
}

std::string quoted_values(expression const& value, symbol_values const& symbols) {
  std::string text;
  for (std::string const& name : free_names(value))
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, symbols.at(name));
  return text;
}

/// Evaluated layout of a container.
bound_array layout(sdfg::argument const& argument, symbol_values const& symbols) {
  bound_array array;
  array.on_device = argument.type.storage == sdfg::storage::gpu_global;
  sdfg::descriptor const& type = argument.type;
  for (std::size_t d = 0; d < type.shape.size(); ++d) {
    std::int64_t const extent = evaluate_integer(type.shape[d], symbols);
    if (extent < 0)
      fail(fmt::format("argument '{}': dimension {} is {} = {} ({}), a size is not negative",
                       argument.name, d, to_text(type.shape[d]), extent,
                       quoted_values(type.shape[d], symbols)));
    array.shape.push_back(extent);
  }
  for (std::size_t d = 0; d < type.strides.size(); ++d) {
    array.strides.push_back(evaluate_integer(type.strides[d], symbols));
    if (array.strides.back() < 0)
      fail(fmt::format("argument '{}': stride {} of dimension {} is negative", argument.name,
                       array.strides.back(), d));
  }
  array.start_offset = evaluate_integer(type.start_offset, symbols);
  std::int64_t count =
      is_known(type.total_size, symbols) ? evaluate_integer(type.total_size, symbols) : 0;
  for_each_element(array.shape, array.strides, array.start_offset,
                   [&](auto const&, std::int64_t offset) { count = std::max(count, offset + 1); });
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  if (count < 0 || count > limit)
    fail(fmt::format("argument '{}': {} elements", argument.name, count));
  array.bytes.resize(static_cast<std::size_t>(count) * size_bytes(type.type));
  return array;
}

void copy_elements(host_array const& from, bound_array& to) {
  std::size_t const size = size_bytes(from.type);
  for_each_element(
      to.shape, to.strides, to.start_offset, [&](auto const& index, std::int64_t offset) {
        std::memcpy(to.bytes.data() + static_cast<std::size_t>(offset) * size,
                    from.bytes.data() +
                        static_cast<std::size_t>(offset_of(index, from.strides)) * size,
                    size);
      });
}

bool is_scalar(sdfg::argument const& argument) {
  return argument.type.kind == sdfg::descriptor_kind::scalar;
}

std::string file_name(case_array const& array, case_file const& in) {
  return array.file.lexically_relative(in.file.parent_path()).string();
}

argument_value scalar_value(sdfg::argument const& argument, case_value const& value) {
  if (auto const* integer = std::get_if<std::int64_t>(&value))
    return argument_value::integer(argument.type.type, *integer);
  return argument_value::real(argument.type.type, std::get<double>(value));
}

void check_overrides(symbol_values const& overrides, sdfg::graph const& program,
                     sdfg::signature const& signature) {
  for (auto const& [name, value] : overrides)
    if (!program.symbols.contains(name) &&
        std::ranges::none_of(signature.arguments,
                             [&](auto const& a) { return a.name == name && is_scalar(a); }))
      fail(fmt::format("--set {}={}: program '{}' has no such symbol", name, value, program.name));
}

double real_part(dtype type, std::byte const* element) {
  auto const as = [&]<typename T>(T value) {
    std::memcpy(&value, element, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
  case dtype::boolean:
  case dtype::uint8:
    return as(std::uint8_t{});
  case dtype::int8:
    return as(std::int8_t{});
  case dtype::int16:
    return as(std::int16_t{});
  case dtype::uint16:
    return as(std::uint16_t{});
  case dtype::int32:
    return as(std::int32_t{});
  case dtype::uint32:
    return as(std::uint32_t{});
  case dtype::int64:
    return as(std::int64_t{});
  case dtype::uint64:
    return as(std::uint64_t{});
  case dtype::float16:
    return as(_Float16{});
  case dtype::float32:
  case dtype::complex64:
    return as(float{});
  case dtype::float64:
  case dtype::complex128:
    return as(double{});
  }
  ASSAY_ASSERT(!"a dtype outside the enum");
}

bool is_complex(dtype type) { return type == dtype::complex64 || type == dtype::complex128; }

std::complex<double> element_value(dtype type, std::byte const* element) {
  return {real_part(type, element),
          is_complex(type) ? real_part(type, element + size_bytes(type) / 2) : 0.0};
}

std::string value_text(std::complex<double> value, dtype type) {
  return is_complex(type) ? fmt::format("{}{:+}j", value.real(), value.imag())
                          : fmt::format("{}", value.real());
}

bool is_close(double got, double expected, double relative, double absolute) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (got == expected) return true; // infinities
  return std::abs(got - expected) <= absolute + relative * std::abs(expected);
}

double default_tolerance(dtype type) {
  constexpr double roundings = 16;
  switch (type) {
  case dtype::float16:
    return roundings * 0x1p-11;
  case dtype::float32:
  case dtype::complex64:
    return roundings * 0x1p-24;
  default:
    return 1e-10;
  }
}

/// A generator of our own: the standard's distributions differ between libraries.
struct random_stream {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

void fill_element(dtype type, std::byte* element, random_stream& random) {
  argument_value value;
  std::size_t const size = size_bytes(type);
  if (is_complex(type)) {
    dtype const part = type == dtype::complex64 ? dtype::float32 : dtype::float64;
    fill_element(part, element, random);
    fill_element(part, element + size / 2, random);
    return;
  }
  if (is_floating(type))
    value = argument_value::real(type, 0.5 + random.unit());
  else
    value = argument_value::integer(
        type, static_cast<std::int64_t>(random.next() % (type == dtype::boolean ? 2 : 4)));
  std::memcpy(element, value.data(), size);
}

/// Small, and every size of a program different from every other, so that swapped dimensions show.
std::int64_t made_up_symbol(std::string const& name, random_stream& random, std::size_t position) {
  if (name.find("metrics_level") != std::string::npos) return 0;
  return 6 + static_cast<std::int64_t>(position % 7) +
         static_cast<std::int64_t>(random.next() % 2) * 7;
}

} // namespace

bound_argument const* bound_case::find(std::string_view name) const noexcept {
  auto const found = std::ranges::find(arguments, name, &bound_argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

case_file read_case(std::filesystem::path const& path) {
  try {
    json const root = parse_json(path);
    if (!root.is_object()) fail("is no JSON object");
    for (auto const& [member, unused] : root.items())
      if (std::ranges::find(members, member) == std::end(members))
        fail(fmt::format("unknown member '{}' (one of {})", member, fmt::join(members, ", ")));
    case_file result;
    result.file = path;
    result.program = text_member(root, "program", "case");
    std::filesystem::path const folder = path.parent_path();
    auto const arguments = root.find("arguments");
    if (arguments == root.end() || !arguments->is_object()) fail("case: 'arguments' is no object");
    for (auto const& [name, value] : arguments->items())
      result.arguments.emplace(name, read_value(value, name, folder));
    if (auto const expect = root.find("expect"); expect != root.end()) {
      if (!expect->is_object()) fail("case: 'expect' is no object");
      for (auto const& [name, value] : expect->items())
        result.expect.emplace(name, folder / text_member(*expect, name.c_str(), "expect"));
    }
    if (root.contains("rtol")) result.relative_tolerance = number_member(root, "rtol", 0);
    result.absolute_tolerance = number_member(root, "atol", result.absolute_tolerance);
    return result;
  } catch (error const& problem) {
    throw problem.in_file(path.string());
  }
}

bound_case bind_case(case_file const& from, sdfg::graph const& program,
                     symbol_values const& overrides) {
  return bind_case(from, program, sdfg::signature_of(program), overrides);
}

bound_case bind_case(case_file const& from, sdfg::graph const& program,
                     sdfg::signature const& signature, symbol_values const& overrides) {
  try {
    if (from.program != program.name)
      fail(
          fmt::format("case is for program '{}', the program is '{}'", from.program, program.name));
    check_overrides(overrides, program, signature);
    for (auto const& [name, value] : from.arguments)
      if (std::ranges::none_of(signature.arguments,
                               [&](auto const& a) { return a.name == name; }) &&
          !program.symbols.contains(name))
        fail(fmt::format("argument '{}' is none of program '{}'", name, program.name));

    bound_case result;
    result.relative_tolerance = from.relative_tolerance;
    result.absolute_tolerance = from.absolute_tolerance;
    std::map<std::string, host_array> files;
    // First the numbers, then what follows from the shapes of files: layouts need both.
    for (auto const& [name, value] : from.arguments)
      if (auto const* integer = std::get_if<std::int64_t>(&value)) result.symbols[name] = *integer;
    for (auto const& [name, value] : overrides) result.symbols[name] = value;
    for (sdfg::argument const& argument : signature.arguments) {
      if (argument.name == external_stream_symbol) continue;
      auto const found = from.arguments.find(argument.name);
      if (found == from.arguments.end()) {
        if (is_scalar(argument) && overrides.contains(argument.name)) continue;
        fail(fmt::format("argument '{}' of program '{}' is missing", argument.name, program.name));
      }
      auto const* file = std::get_if<case_array>(&found->second);
      if (is_scalar(argument) != (file == nullptr))
        fail(fmt::format("argument '{}' is {}, the program takes {}", argument.name,
                         file ? "an array" : "a number", file ? "a number" : "an array"));
      if (file == nullptr) continue;
      host_array array = read_npy(file->file);
      if (array.type != argument.type.type)
        fail(fmt::format("argument '{}': {} holds {}, the program takes {}", argument.name,
                         file_name(*file, from), name(array.type), name(argument.type.type)));
      if (array.shape.size() != argument.type.shape.size())
        fail(fmt::format("argument '{}': {} has {} dimensions, the program takes {}", argument.name,
                         file_name(*file, from), array.shape.size(), argument.type.shape.size()));
      bool const device = argument.type.storage == sdfg::storage::gpu_global;
      if (file->on_device && *file->on_device != device)
        fail(fmt::format("argument '{}' is in {} memory, the program takes {} memory",
                         argument.name, *file->on_device ? "device" : "host",
                         device ? "device" : "host"));
      for (std::size_t d = 0; d < array.shape.size(); ++d)
        infer_symbol(argument.type.shape[d], array.shape[d], result.symbols);
      files.emplace(argument.name, std::move(array));
    }
    for (sdfg::argument const& argument : signature.arguments) {
      if (argument.name == external_stream_symbol) continue;
      bound_argument bound{argument.name, argument.type.type, std::nullopt, {}};
      if (is_scalar(argument)) {
        auto const changed = overrides.find(argument.name);
        try {
          bound.scalar = changed != overrides.end()
                             ? argument_value::integer(argument.type.type, changed->second)
                             : scalar_value(argument, from.arguments.find(argument.name)->second);
        } catch (error const& problem) {
          fail(fmt::format("argument '{}': {}", argument.name, problem.what()));
        }
      } else {
        host_array const& file = files.at(argument.name);
        bound_array array = layout(argument, result.symbols);
        if (array.shape != file.shape)
          fail(fmt::format(
              "argument '{}': {} has shape [{}], the program takes [{}]", argument.name,
              file_name(std::get<case_array>(from.arguments.find(argument.name)->second), from),
              fmt::join(file.shape, ", "), fmt::join(array.shape, ", ")));
        copy_elements(file, array);
        bound.array = std::move(array);
      }
      result.arguments.push_back(std::move(bound));
    }
    for (auto const& [name, path] : from.expect) {
      bound_argument const* argument = result.find(name);
      if (argument == nullptr || !argument->array)
        fail(fmt::format("expected array '{}' is no array argument of program '{}'", name,
                         program.name));
      host_array array = read_npy(path);
      if (array.type != argument->type)
        fail(fmt::format("expected array '{}' holds {}, the program gives {}", name,
                         assay::name(array.type), assay::name(argument->type)));
      if (array.shape != argument->array->shape)
        fail(fmt::format("expected array '{}' has shape [{}], the program gives [{}]", name,
                         fmt::join(array.shape, ", "), fmt::join(argument->array->shape, ", ")));
      result.expect.emplace(name, std::move(array));
    }
    return result;
  } catch (error const& problem) {
    throw problem.in_file(from.file.string());
  }
}

bound_case make_up_case(sdfg::graph const& program, std::uint64_t seed,
                        symbol_values const& overrides) {
  return make_up_case(program, sdfg::signature_of(program), seed, overrides);
}

bound_case make_up_case(sdfg::graph const& program, sdfg::signature const& signature,
                        std::uint64_t seed, symbol_values const& overrides) {
  check_overrides(overrides, program, signature);
  bound_case result;
  random_stream random{seed};
  std::size_t position = 0;
  field_extents extents(program);
  for (auto const& [name, type] : program.symbols) {
    auto const given = overrides.find(name);
    auto const extent = extents.of(name);
    result.symbols[name] = given != overrides.end() ? given->second
                           : extent                 ? *extent
                                                    : made_up_symbol(name, random, position++);
  }
  constexpr int most_rounds = 8; // ranges that grow with the domain never suffice
  for (int round = 0; round < most_rounds; ++round) {
    auto const missing = extents.missing(result.symbols);
    if (missing <= 0) break;
    extents.grow(missing);
    for (auto const& [name, type] : program.symbols)
      if (auto const extent = extents.of(name); extent && !overrides.contains(name))
        result.symbols[name] = *extent;
  }
  result.symbols.erase(std::string(external_stream_symbol));
  // A stride that is a symbol of its own is the product of the extents that vary faster.
  for (sdfg::argument const& argument : signature.arguments) {
    if (is_scalar(argument)) continue;
    std::int64_t step = 1;
    for (std::size_t d = 0; d < argument.type.shape.size(); ++d) {
      expression const& stride = argument.type.strides[d];
      if (stride->kind == expression_kind::name && !overrides.contains(stride->text))
        result.symbols[stride->text] = step;
      step *= std::max<std::int64_t>(1, evaluate_integer(argument.type.shape[d], result.symbols));
    }
  }
  for (sdfg::argument const& argument : signature.arguments) {
    if (argument.name == external_stream_symbol) continue;
    bound_argument bound{argument.name, argument.type.type, std::nullopt, {}};
    if (is_scalar(argument)) {
      auto const symbol = result.symbols.find(argument.name);
      auto const given = overrides.find(argument.name);
      if (symbol != result.symbols.end())
        bound.scalar = argument_value::integer(argument.type.type, symbol->second);
      else if (given != overrides.end())
        bound.scalar = argument_value::integer(argument.type.type, given->second);
      else {
        std::array<std::byte, 16> element{};
        fill_element(argument.type.type, element.data(), random);
        bound.scalar =
            is_integral(argument.type.type)
                ? argument_value::integer(
                      argument.type.type,
                      static_cast<std::int64_t>(real_part(argument.type.type, element.data())))
                : argument_value::real(argument.type.type,
                                       real_part(argument.type.type, element.data()));
      }
    } else {
      bound_array array = layout(argument, result.symbols);
      std::size_t const size = size_bytes(argument.type.type);
      for_each_element(
          array.shape, array.strides, array.start_offset, [&](auto const&, std::int64_t offset) {
            fill_element(argument.type.type,
                         array.bytes.data() + static_cast<std::size_t>(offset) * size, random);
          });
      bound.array = std::move(array);
    }
    result.arguments.push_back(std::move(bound));
  }
  return result;
}

std::optional<std::string> first_difference(bound_argument const& argument,
                                            std::vector<std::byte> const& bytes,
                                            host_array const& expected,
                                            std::optional<double> relative_tolerance,
                                            double absolute_tolerance) {
  bound_array const& array = *argument.array;
  std::size_t const size = size_bytes(argument.type);
  double const relative = relative_tolerance.value_or(default_tolerance(argument.type));
  std::string first;
  std::int64_t differing = 0, count = 0;
  for_each_element(
      array.shape, array.strides, array.start_offset, [&](auto const& index, std::int64_t offset) {
        ++count;
        auto const got =
            element_value(argument.type, bytes.data() + static_cast<std::size_t>(offset) * size);
        auto const wanted = element_value(
            argument.type, expected.bytes.data() +
                               static_cast<std::size_t>(offset_of(index, expected.strides)) * size);
        if (is_close(got.real(), wanted.real(), relative, absolute_tolerance) &&
            is_close(got.imag(), wanted.imag(), relative, absolute_tolerance))
          return;
        if (differing++ == 0)
          first = fmt::format("{}[{}]: {}, expected {}", argument.name, fmt::join(index, ", "),
                              value_text(got, argument.type), value_text(wanted, argument.type));
      });
  if (differing == 0) return std::nullopt;
  return fmt::format("{} ({} of {} elements differ)", first, differing, count);
}

host_array packed(bound_argument const& argument, std::vector<std::byte> const& bytes) {
  bound_array const& array = *argument.array;
  std::size_t const size = size_bytes(argument.type);
  host_array result{argument.type, array.shape, packed_strides(array.shape, false), {}};
  std::int64_t count = 1;
  for (std::int64_t extent : array.shape) count *= extent;
  result.bytes.resize(static_cast<std::size_t>(count) * size);
  for_each_element(
      array.shape, array.strides, array.start_offset, [&](auto const& index, std::int64_t offset) {
        std::memcpy(result.bytes.data() +
                        static_cast<std::size_t>(offset_of(index, result.strides)) * size,
                    bytes.data() + static_cast<std::size_t>(offset) * size, size);
      });
  return result;
}

} // namespace assay
