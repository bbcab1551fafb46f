#pragma once
/// \file Where the runs of a check take place, and the compilers that build for that place.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/build.hpp"
#include "assay/settings.hpp"

namespace assay::tool {

enum class run_backend : std::uint8_t { mock, cuda, hip };
[[nodiscard]] std::string_view name(run_backend) noexcept;
/// \throws error{invalid_input} listing the right names.
[[nodiscard]] run_backend parse_run_backend(std::string_view);

/// The command that runs a cell: this executable for the mock, the one beside it for a device.
/// \throws error{environment} if Assay was built without the device's runtime.
[[nodiscard]] std::vector<std::string> cell_command(run_backend);

/// Name and architecture of the vendor's device; empty for the mock.
/// \throws error{environment} with the vendor's words where there is no device.
[[nodiscard]] std::string describe_device(run_backend);

/// compute-sanitizer of the CUDA toolkit that this build knows, else the one in PATH.
/// \throws error{environment} if there is none.
[[nodiscard]] std::string compute_sanitizer();

/// The drivers beside this executable for the mock, the vendor's compiler for a device, the
/// system's compiler for target cpu. \throws error{environment} if a compiler or the generated
/// code's headers are missing.
[[nodiscard]] toolchain toolchain_of(run_backend, target);

} // namespace assay::tool
