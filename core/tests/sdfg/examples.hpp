#pragma once
/// \file The real programs that the tests read.
#include <array>
#include <filesystem>
#include <string_view>

namespace assay::test {

inline constexpr std::array examples{"axpy",        "condscalar",    "copiesd2d",   "copiesh2d",
                                     "gt_nabla",    "gt_scan",       "hdiff",       "jacobi2d",
                                     "multistream", "rk3_advection", "smagorinsky", "whileconv"};

inline std::filesystem::path example(std::string_view name) {
  return std::filesystem::path(ASSAY_EXAMPLES) / name / "program.sdfg";
}

} // namespace assay::test
