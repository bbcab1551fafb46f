#pragma once
/// \file Runs of `assay check` on mockgpu, under the checker.
#include <memory>

#include "assay/check.hpp"

namespace assay::tool {

[[nodiscard]] std::unique_ptr<check_backend> make_mock_backend();

} // namespace assay::tool
