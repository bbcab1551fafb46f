#pragma once
/// \file What the driver is told: a JSON file, then words of the command line that replace its
/// values.
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/backend_options.hpp"
#include "assay/expression.hpp"
#include "assay/workspace_guard.hpp"

namespace embed {

struct configuration {
  std::vector<std::filesystem::path> programs; ///< SDFGs, relative to the configuration file
  std::filesystem::path artifacts =
      "artifacts";        ///< folder of built programs, of the working directory
  bool load_only = false; ///< run what an earlier process has saved
  assay::backend_options backend;
  assay::guard_kind guard = assay::guard_kind::assert_unordered;
  assay::symbol_values symbols;
  int calls = 2;
  /// Compilers, as words. Of host and device files, and what links them.
  std::vector<std::string> host_compiler, device_compiler, linker;
  std::vector<std::string> flags;
  std::vector<std::string> include_directories; ///< of assay/generated, and of the vendor
};

/// Reads `file`, then applies words "name=value" with the file's names; values that are no JSON are
/// strings: target=hip, workspace_size=1048576, guard=order, symbols.N=20. A workspace that neither
/// gives comes from ICON4PY_BACKEND_WORKSPACE_SIZE.
/// \throws assay::error for a name that is not known and for a value that its option refuses.
[[nodiscard]] configuration read_configuration(std::filesystem::path const& file,
                                               std::span<char* const> overrides);

} // namespace embed
