#include "assay/array_file.hpp"

#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.hpp"

namespace assay {
namespace {

struct type_code {
  std::string_view code;
  dtype type;
};
// NumPy's codes; '<' and '=' are little-endian here, '|' has no byte order.
constexpr type_code codes[] = {
    {"b1", dtype::boolean},   {"i1", dtype::int8},       {"i2", dtype::int16},
    {"i4", dtype::int32},     {"i8", dtype::int64},      {"u1", dtype::uint8},
    {"u2", dtype::uint16},    {"u4", dtype::uint32},     {"u8", dtype::uint64},
    {"f2", dtype::float16},   {"f4", dtype::float32},    {"f8", dtype::float64},
    {"c8", dtype::complex64}, {"c16", dtype::complex128}};

constexpr std::string_view magic("\x93NUMPY", 6);

/// The text of `'key': value` in the header's dictionary, up to the end of the value.
std::optional<std::string_view> member(std::string_view header, std::string_view key) {
  std::size_t const at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view value = header.substr(at + key.size() + 3);
  while (value.starts_with(' ')) value.remove_prefix(1);
  std::size_t const end = value.starts_with('(') ? value.find(')') : value.find_first_of(",}");
  if (end == std::string_view::npos) return std::nullopt;
  return value.substr(0, value.starts_with('(') ? end + 1 : end);
}

} // namespace

std::vector<std::int64_t> packed_strides(std::vector<std::int64_t> const& shape, bool fortran) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::size_t const d = fortran ? k : shape.size() - 1 - k;
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

host_array read_npy(std::filesystem::path const& path) {
  auto const fail = [&](std::string const& rule) {
    throw error(errc::invalid_input, rule, {}, path.string());
  };
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string const content = std::move(text).str();
  std::string_view const view(content);
  if (!view.starts_with(magic) || view.size() < 12) fail("is not a .npy file");

  auto const byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(view[i]));
  };
  bool const is_long = byte(6) >= 2; // version 1 counts the header in 2 bytes, later ones in 4
  std::size_t const begin = is_long ? 12 : 10;
  std::size_t const length =
      is_long ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  if (length > view.size() - begin) fail("ends inside its header");
  std::string_view const header = view.substr(begin, length);

  auto const descr = member(header, "descr"), order = member(header, "fortran_order"),
             shape = member(header, "shape");
  if (!descr || !order || !shape || !shape->starts_with('('))
    fail("has a header without descr, fortran_order and shape");

  host_array array;
  std::string_view code = *descr;
  if (code.size() < 4 || code.front() != '\'')
    fail(fmt::format("has element type {}, which no SDFG has", *descr));
  code = code.substr(1, code.size() - 2);
  if (code.front() == '>') fail(fmt::format("has big-endian elements ('{}')", code));
  code.remove_prefix(1);
  bool known = false;
  for (type_code const& entry : codes)
    if (entry.code == code) {
      array.type = entry.type;
      known = true;
    }
  if (!known) fail(fmt::format("has element type {}, which no SDFG has", *descr));

  std::size_t count = 1;
  for (std::size_t i = 1; i + 1 < shape->size();) {
    char const* const first = shape->data() + i;
    char const* const last = shape->data() + shape->size();
    std::int64_t extent = 0;
    auto const [end, status] = std::from_chars(first, last, extent);
    if (status != std::errc() || extent < 0)
      fail(fmt::format("has the malformed shape {}", *shape));
    array.shape.push_back(extent);
    auto const size = static_cast<std::size_t>(extent);
    if (size != 0 && count > std::numeric_limits<std::size_t>::max() / 16 / size)
      fail("is too large");
    count *= size;
    i += static_cast<std::size_t>(end - first);
    while (i + 1 < shape->size() && ((*shape)[i] == ',' || (*shape)[i] == ' ')) ++i;
  }
  array.strides = packed_strides(array.shape, *order == "True");

  std::size_t const data = begin + length, size_bytes = count * assay::size_bytes(array.type);
  if (view.size() - data < size_bytes)
    fail(fmt::format("holds {} bytes of data, shape {} of {} needs {}", view.size() - data, *shape,
                     assay::name(array.type), size_bytes));
  array.bytes.resize(size_bytes);
  if (size_bytes != 0) std::memcpy(array.bytes.data(), view.data() + data, size_bytes);
  return array;
}

void write_npy(std::filesystem::path const& path, host_array const& array) {
  bool const fortran = array.strides != packed_strides(array.shape, false);
  ASSAY_ASSERT(array.strides == packed_strides(array.shape, fortran));
  std::string_view code;
  for (type_code const& entry : codes)
    if (entry.type == array.type) code = entry.code;
  std::string shape = fmt::format("({}", fmt::join(array.shape, ", "));
  shape += array.shape.size() == 1 ? ",)" : ")";
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': {}, }}",
                  size_bytes(array.type) == 1 ? '|' : '<', code, fortran ? "True" : "False", shape);
  // NumPy aligns the data to 64 bytes and ends the header with a newline.
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream stream(path, std::ios::binary);
  stream << magic << '\x01' << '\0' << static_cast<char>(header.size() & 0xFF)
         << static_cast<char>(header.size() >> 8) << header;
  stream.write(reinterpret_cast<char const*>(array.bytes.data()),
               static_cast<std::streamsize>(array.bytes.size()));
  stream.flush();
  if (!stream) throw error(errc::environment, "cannot be written", {}, path.string());
}

} // namespace assay
