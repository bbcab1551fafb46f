#pragma once
/// \file The preprocessor's line markers, `# LINE "FILE" FLAGS`.
#include <string>
#include <string_view>

namespace mockgpu::tools {

struct line_marker {
  unsigned line = 0;     ///< of the line behind it
  std::string_view file; ///< as written, within the quotes
  bool system = false;   ///< flag 3: what follows comes from a system header
};
/// \returns line 0 for anything else, pragmas for one.
[[nodiscard]] line_marker read_line_marker(std::string_view line);

/// Takes the markers away that stand around an expansion of one of the shim's marking macros
/// (`__mockgpu_...`, see rewrite.hpp). The preprocessor puts them there because the macro comes
/// from a system header, and they tear a declaration apart. All lines keep their numbers.
[[nodiscard]] std::string join_marked_expansions(std::string_view preprocessed);

} // namespace mockgpu::tools
