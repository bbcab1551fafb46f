#pragma once
/// \file What only the mock can add to the conformance cases.
#include <vector>

#include "mockgpu/findings.hpp"

namespace conformance {

/// What was found since the last call, by operations that were waited for; the case's judge does
/// not see it again. Every case without this call fails on any finding: the cases are correct
/// programs.
[[nodiscard]] std::vector<mockgpu::finding> take_findings();

} // namespace conformance
