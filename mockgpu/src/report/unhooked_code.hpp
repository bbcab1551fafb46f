#pragma once
/// \file Code of the process that the checker cannot see, because it was built without hooks.
#include <string>
#include <vector>

namespace mockgpu {

/// One ELF file, as far as it says what it is made of.
struct elf_contents {
  std::vector<std::string>
      units; ///< names of source files, from the symbol table; empty if stripped
  std::vector<std::string> needed; ///< libraries that it is linked with
};
/// Nothing for a file that is no ELF file of 64 bits.
[[nodiscard]] elf_contents read_elf(std::string const& path);

/// Of `units`, those that are not marked: "a.cpp" twice in `units` and once in `marked` is one.
/// What compilers link into everything is left out.
[[nodiscard]] std::vector<std::string> find_unmarked(std::vector<std::string> units,
                                                     std::vector<std::string> marked);

/// Leaves the program or library with this address out of `unhooked_code`: it drives the mock and
/// is not what is checked.
void exempt_from_hooks(void const* address) noexcept;

} // namespace mockgpu
