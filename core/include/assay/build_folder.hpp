#pragma once
/// \file A build folder of DaCe's (or of GT4Py's): code that DaCe generated, read as it stands.
/// Source: DaCe 2.0.0a6, dace/codegen/compiler.py (the folder) and its generated headers.
#include <filesystem>
#include <string>
#include <vector>

#include "assay/emit.hpp"
#include "assay/plan.hpp"
#include "assay/sdfg.hpp"
#include "assay/settings.hpp"

namespace assay {

struct build_folder {
  std::filesystem::path path;
  std::filesystem::path sdfg_file; ///< below `path`
  sdfg::graph graph;
  sdfg::signature signature; ///< what the header says, which holds where the SDFG differs
  assay::target target = target::cuda;
  bool experimental = false; ///< of the experimental generator, which exports no stream setters
  memory_mode mode = memory_mode::scoped;
  /// Streams that launches take from the context; 0: everything goes to the default stream,
  /// whatever streams are set.
  int own_streams = 0;
  std::vector<generated_file> files; ///< sources and headers, untouched
};

/// Whether the path is a folder that `read_build_folder` should be asked about.
[[nodiscard]] bool is_build_folder(std::filesystem::path const&);

/// Reads the SDFG, the header and all sources. \throws error{invalid_input} naming the file that is
/// missing or broken; error{unsupported} for an argument type or a target that Assay does not know.
[[nodiscard]] build_folder read_build_folder(std::filesystem::path const&);

/// What a harness needs to know of the program: its name, its signature and where DaCe puts the
/// external arrays in each workspace. The plan has no steps: DaCe's code is what runs.
[[nodiscard]] plan::program interface_of(build_folder const&);

/// The signature that a generated header declares for a program, with the descriptors of `graph`.
/// \throws as read_build_folder.
[[nodiscard]] sdfg::signature parse_header(std::string const& text, sdfg::graph const& graph);

} // namespace assay
