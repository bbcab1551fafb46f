#pragma once
/// \file Runs of `assay check` on mockgpu: the checker, and the compilers that build for it.
#include <memory>

#include "assay/build.hpp"
#include "assay/check.hpp"

namespace assay::tool {

[[nodiscard]] std::unique_ptr<check_backend> make_mock_backend();

/// The compiler drivers beside this executable; the system's compiler for target cpu.
/// \throws error{environment} if a driver or the generated code's headers are missing.
[[nodiscard]] toolchain mock_toolchain(target);

} // namespace assay::tool
