#pragma once
/// \file Whether a compiler, with the flags of a build, puts a hook on every form of access.
#include <string>
#include <string_view>
#include <vector>

namespace mockgpu::tools {

/// A form of access that does not arrive.
struct missing_hook {
  std::string function; ///< of the canary
  std::string wanted;   ///< hooks, of which one would do
};

/// Compares the demands written in the canary's source (see canary.cpp) with its assembly text.
/// \param compiler_family "g++" or "clang++"
/// \throws std::runtime_error if a function of the source is not in the assembly text, or if the
/// source demands nothing.
[[nodiscard]] std::vector<missing_hook> find_missing_hooks(std::string_view source,
                                                           std::string_view assembly,
                                                           std::string_view compiler_family);

} // namespace mockgpu::tools
