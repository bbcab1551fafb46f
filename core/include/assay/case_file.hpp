#pragma once
/// \file A case: the arguments of one call, and what it must give. Format: docs/formats.md,
/// case.json.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/array_file.hpp"
#include "assay/compiled_program.hpp"
#include "assay/expression.hpp"
#include "assay/sdfg.hpp"

namespace assay {

/// An array argument of the file: where its elements are, and in which memory the program gets
/// them.
struct case_array {
  std::filesystem::path file;
  std::optional<bool> on_device;
};
using case_value = std::variant<std::int64_t, double, case_array>;

/// case.json as it stands; nothing is compared with a program yet.
struct case_file {
  std::filesystem::path file; ///< empty for a case that is made up
  std::string program;
  std::map<std::string, case_value, std::less<>> arguments;
  std::map<std::string, std::filesystem::path, std::less<>> expect;
  std::optional<double> relative_tolerance; ///< absent: by the type, see first_difference
  double absolute_tolerance = 1e-12;
};
/// \throws error{invalid_input} naming the member and the rule.
[[nodiscard]] case_file read_case(std::filesystem::path const&);

/// An argument with its elements in the program's layout. Counts and strides are in elements.
struct bound_array {
  bool on_device = false;
  std::vector<std::int64_t> shape, strides;
  std::int64_t start_offset = 0;
  std::vector<std::byte> bytes; ///< the whole container; gaps are zero
};
struct bound_argument {
  std::string name;
  dtype type = dtype::float64;
  std::optional<bound_array> array; ///< absent: a scalar or symbol
  argument_value scalar;
};
/// A call with every argument in ABI order, and the expected arrays.
struct bound_case {
  std::vector<bound_argument> arguments;
  symbol_values symbols; ///< those of the ABI, and those that follow from the shapes
  std::map<std::string, host_array> expect;
  std::optional<double> relative_tolerance; ///< absent: by the type, see first_difference
  double absolute_tolerance = 1e-12;

  [[nodiscard]] bound_argument const* find(std::string_view name) const noexcept;
};

/// Joins a case with a program. `overrides` replace scalars of the case (`--set`). The caller's
/// stream symbol is left out: it belongs to a run. Sizes that the ABI does not pass are inferred
/// from shapes. \throws error{invalid_input} in the case's file: argument missing, unknown, of the
/// wrong type or shape, negative size.
[[nodiscard]] bound_case bind_case(case_file const&, sdfg::graph const&,
                                   symbol_values const& overrides);
/// The same for a library whose header states another signature than follows from the SDFG.
[[nodiscard]] bound_case bind_case(case_file const&, sdfg::graph const&, sdfg::signature const&,
                                   symbol_values const& overrides);

/// Arguments made up from the descriptors by seed: small sizes, packed strides, floating values in
/// [0.5, 1.5), integers in [0, 4). Nothing is expected. \throws error{invalid_input} as bind_case.
[[nodiscard]] bound_case make_up_case(sdfg::graph const&, std::uint64_t seed,
                                      symbol_values const& overrides);
[[nodiscard]] bound_case make_up_case(sdfg::graph const&, sdfg::signature const&,
                                      std::uint64_t seed, symbol_values const& overrides);

/// The first difference of an output from what is expected ("out[3, 4]: 1.5, expected 2.5 (12 of 90
/// elements differ)"), or nothing. NaN equals NaN. `bytes` is in the argument's layout. Without a
/// relative tolerance it is 1e-10, or 16 roundings of a type that is no finer: atomics add in any
/// order.
[[nodiscard]] std::optional<std::string>
first_difference(bound_argument const&, std::vector<std::byte> const& bytes,
                 host_array const& expected, std::optional<double> relative_tolerance,
                 double absolute_tolerance);
/// The elements of an argument as a packed array in C order.
[[nodiscard]] host_array packed(bound_argument const&, std::vector<std::byte> const& bytes);

} // namespace assay
