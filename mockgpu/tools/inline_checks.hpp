#pragma once
/// \file What a compiled kernel does for a load or store of its own accord: it looks at one cell of
/// the shadow, and calls the hook only where its place has not met the cell's state.
#include <cstddef>
#include <string>
#include <string_view>

namespace mockgpu::tools {

/// Writes the checks into the assembly text of one compile unit. Registers that a call may change
/// serve the check: the compiler has made room for a call of the hook.
class inline_checks {
public:
  /// Whether `line` calls the hook of a plain load or store of 4, 8 or 16 bytes, by its name: then
  /// the check, or a call that says the place, has been appended to `out` in its stead.
  bool replace(std::string& out, std::string_view line, std::string_view mnemonic);
  /// The data of all places, to be appended to the text; its layout is `access_place`'s.
  [[nodiscard]] std::string data() const;

private:
  std::size_t places_ = 0;
};

} // namespace mockgpu::tools
