#pragma once
/// \file What happens to a compiler's assembly text before it is assembled: memory hooks get the
/// mock's names, and code that the hooks cannot see is refused.
#include <string>
#include <string_view>

namespace mockgpu::tools {

struct rewritten_assembly {
  std::string text;
  /// Why the object must not be built, or empty: names the function, and the source line where
  /// known.
  std::string refusal;
};

/// Renames `__tsan_*` to `__mockgpu_*` and memcpy, memset and memmove to `__mockgpu_memcpy` and so
/// on, wherever they are whole symbols outside strings. The standard library's inline functions and
/// templates become hidden: a hooked copy must never replace the one that the mock itself, or
/// libstdc++, uses. In device code (text that holds the line
/// "# mockgpu: device code") an instruction with a bus lock is refused: it is an atomic operation
/// that carries no hook.
/// A kernel is a function that names `__mockgpu_this_function` (rewrite.hpp): the word becomes the
/// function's symbol, and the section `mockgpu_kernels` gets a record of the symbol and its name,
/// two pointers, which the library hands to the mock when it is loaded. Variables of the device are
/// recorded likewise (variable_records.hpp).
/// The section `mockgpu_units` gets the unit's name, as a sign that its accesses have hooks.
[[nodiscard]] rewritten_assembly rewrite_assembly(std::string_view text);

} // namespace mockgpu::tools
