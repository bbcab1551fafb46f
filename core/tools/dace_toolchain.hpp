#pragma once
/// \file Builds DaCe's own code for the mock.
#include <filesystem>

#include "assay/build.hpp"
#include "assay/settings.hpp"

namespace assay::tool {

/// DaCe's runtime headers: `given` (the folder that holds dace/dace.h), or those of the package
/// `dace` of the Python that ASSAY_PYTHON names (default: python3). \throws error{environment}.
[[nodiscard]] std::filesystem::path dace_include(std::filesystem::path const& given);

/// The mock's compilers with the flags that DaCe's own build system gives. \throws
/// error{environment} if a driver or a header is missing.
[[nodiscard]] toolchain dace_toolchain(target, std::filesystem::path const& dace_include);

} // namespace assay::tool
