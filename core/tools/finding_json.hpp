#pragma once
/// \file Findings of mockgpu as core's value type, and back from the lines that processes write.
#include <optional>
#include <string>

#include "assay/results.hpp"
#include "mockgpu/findings.hpp"

namespace assay::tool {

[[nodiscard]] check_finding to_core(mockgpu::finding const&);

/// Reads what `mockgpu::to_json` wrote. \returns nothing for any other text.
[[nodiscard]] std::optional<mockgpu::finding> parse_finding(std::string const& json);

} // namespace assay::tool
