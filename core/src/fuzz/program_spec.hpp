#pragma once
/// \file A random program before it is an SDFG: small numbers only, every combination of which
/// builds into a valid program. Shrinking works on these numbers.
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace assay::fuzz {

/// What one operation of a state does. Containers and indices are chosen by number, modulo what is
/// visible at that point.
enum class op_kind : std::uint8_t {
  map,       ///< elementwise, shifted, strided or whole-array reads; in place where target = source
  stencil,   ///< reads a window of one array
  reduce,    ///< sums by conflict resolution
  copy,      ///< device to device: whole arrays, shifted ranges, boxes, rows
  upload,    ///< host array to device array
  download,  ///< device array to host array
  read_back, ///< one device element to a host scalar
  send,      ///< host scalar to one device element
  host_code, ///< tasklet on host scalars
  host_map,  ///< host array from host arrays
  kernel_sdfg ///< elementwise map whose body is a nested SDFG with renamed symbols
};
inline constexpr int op_kind_count = 11;

struct op_spec {
  op_kind kind = op_kind::map;
  std::uint8_t target = 0, first = 0, second = 0;
  std::uint8_t variant = 0; ///< shape of the access; see the builder
  friend bool operator==(op_spec const&, op_spec const&) = default;
};

enum class block_kind : std::uint8_t {
  state,       ///< ops
  assignment,  ///< interstate edge: a symbol from a device value or from symbols
  loop,        ///< counted; body
  while_loop,  ///< until a device value says stop, or a counter
  conditional, ///< body, otherwise (if not empty)
  nested,      ///< nested SDFG with renamed symbols: body
  leave        ///< on a condition: body, then break or continue (outside of loops: body alone)
};
inline constexpr int block_kind_count = 7;

struct block_spec {
  block_kind kind = block_kind::state;
  std::vector<op_spec> ops;
  std::uint8_t choice = 0, other = 0; ///< bounds, conditions, rows; see the builder
  std::vector<block_spec> body, otherwise;
  friend bool operator==(block_spec const&, block_spec const&) = default;
};

struct program_spec {
  std::uint8_t n = 4, m = 3; ///< array sizes, at least 1
  std::uint8_t z = 0;        ///< size of the arrays that may be empty
  std::vector<block_spec> blocks;
  friend bool operator==(program_spec const&, program_spec const&) = default;
};

/// C++ text that can be pasted into a regression.
std::ostream& operator<<(std::ostream&, program_spec const&);

} // namespace assay::fuzz
