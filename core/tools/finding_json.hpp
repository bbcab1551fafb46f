#pragma once
/// \file Findings of mockgpu as core's value type, and back from the lines that processes write.
#include <optional>
#include <string>

#include "assay/results.hpp"
#include "mockgpu/findings.hpp"
#include "mockgpu/suppressions.hpp"

namespace assay::tool {

[[nodiscard]] check_finding to_core(mockgpu::finding const&);

/// The file of `--suppressions`, else that of MOCKGPU_SUPPRESSIONS, else none.
/// \throws error{invalid_input} naming the line.
[[nodiscard]] mockgpu::suppressions read_suppressions(std::string const& file);

/// Of --fault. \throws error{invalid_input} quoting a text that is none.
void check_fault(std::string const& text);

/// Reads what `mockgpu::to_json` wrote. \returns nothing for any other text.
[[nodiscard]] std::optional<mockgpu::finding> parse_finding(std::string const& json);

} // namespace assay::tool
