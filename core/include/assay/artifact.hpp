#pragma once
/// \file A built program on disk, without any memory or handle: what another process needs to run
/// it.
#include <cstddef>
#include <filesystem>
#include <string>

#include "assay/compiled_program.hpp"
#include "assay/sdfg.hpp"
#include "assay/settings.hpp"

namespace assay {

/// A folder with artifact.json, program.sdfg and lib<name>.so.
struct artifact {
  std::string name; ///< of the program
  assay::settings settings;
  std::filesystem::path library; ///< of this artifact
  std::filesystem::path program; ///< the SDFG
  std::string allocator;  ///< registered name of the allocator; empty: the caller installs
  std::string fingerprint;       ///< of the SDFG and every setting, the memory mode included

  /// The ABI of the library. \throws error as sdfg::read and plan::lower do.
  [[nodiscard]] program_interface interface() const;
};

/// Hash of an SDFG's text and the settings; two programs with equal fingerprints are one.
[[nodiscard]] std::string fingerprint_of(std::string const& sdfg_text, settings const&);

/// Writes a folder; files that are there already are replaced, artifact.json last.
/// \throws error{environment} naming the file that cannot be read or written.
[[nodiscard]] artifact save_artifact(std::filesystem::path const& folder,
                                     std::filesystem::path const& sdfg,
                                     std::filesystem::path const& library, settings const&,
                                     std::string const& allocator);

/// Reads a folder that save_artifact wrote. \throws error{invalid_input}: no or another
/// artifact.json, a fingerprint that is not that of the files, an allocator that is not registered
/// in this process.
[[nodiscard]] artifact load_artifact(std::filesystem::path const& folder);

} // namespace assay
