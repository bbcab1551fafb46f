#pragma once
/// \file How DaCe's own code is built.
#include <filesystem>

#include "assay/build.hpp"
#include "assay/settings.hpp"

namespace assay::tool {

/// DaCe's runtime headers: `given` (the folder that holds dace/dace.h), or those of the package
/// `dace` of the Python that ASSAY_PYTHON names (default: python3). \throws error{environment}.
[[nodiscard]] std::filesystem::path dace_include(std::filesystem::path const& given);

/// The compilers and flags of generated code, with DaCe's headers in the place of ours and the
/// macros that DaCe's own build system defines.
[[nodiscard]] toolchain dace_toolchain(toolchain of_generated_code, target,
                                       std::filesystem::path const& dace_include);

} // namespace assay::tool
