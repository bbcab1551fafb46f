#pragma once
/// \file Arrays in NumPy's .npy format (versions 1 to 3), as logical values in either order.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "assay/dtype.hpp"

namespace assay {

/// An array of the host. Strides are in elements and are those of the file: C or Fortran order.
struct host_array {
  dtype type = dtype::float64;
  std::vector<std::int64_t> shape, strides;
  std::vector<std::byte> bytes;
};

/// Strides of a packed array. \param fortran first index fastest.
[[nodiscard]] std::vector<std::int64_t> packed_strides(std::vector<std::int64_t> const& shape,
                                                       bool fortran);

/// \throws error{invalid_input} naming the file and the broken rule (missing, not .npy, big-endian,
/// truncated, an element type that SDFGs do not have).
[[nodiscard]] host_array read_npy(std::filesystem::path const&);
/// Writes shape and bytes as they are (packed strides only). \throws error{environment} naming the
/// file.
void write_npy(std::filesystem::path const&, host_array const&);

} // namespace assay
