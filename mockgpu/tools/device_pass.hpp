#pragma once
/// \file Sources that ask for whom they are compiled: `__CUDA_ARCH__` and `__HIP_DEVICE_COMPILE__`
/// are defined for device code and not for host code. The vendors' compilers read such a source
/// twice. So does the preprocessor here; the two texts become one, since host and device code of a
/// mock are one program.
#include <string>
#include <string_view>

namespace mockgpu::tools {

/// Whether a file of the preprocessed source, or one that it includes, names such a macro. Files of
/// the system's folders and of the shim are not asked. \param shim_directory where the shim is.
[[nodiscard]] bool asks_for_whom(std::string_view preprocessed, std::string_view shim_directory);

/// One text of what host code and what device code sees, both preprocessed with the shim's marks
/// (rewrite.hpp), `__host__` among them as `__mockgpu_host__()`:
///
/// - bodies of `__device__` and `__global__` functions come from the device's text;
/// - bodies of `__host__ __device__` functions become both, of which the one runs that is meant;
/// - outside of bodies, declarations for the device come from the device's text, all others from
///   the host's, or from the device's where the host has none in that place.
///
/// Line numbers and files are those of the sources. The marks of `__host__` are gone.
/// \throws rewrite_error where the texts differ in a way that is none of these.
[[nodiscard]] std::string merge_passes(std::string_view host, std::string_view device);

/// The text without the marks of `__host__`.
[[nodiscard]] std::string without_host_marks(std::string_view preprocessed);

} // namespace mockgpu::tools
