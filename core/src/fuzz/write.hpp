#pragma once
/// \file An SDFG in memory as a file, so that a found program can be kept and handed on.
#include <string>

#include "assay/sdfg.hpp"

namespace assay::fuzz {

/// The graph as text that sdfg::read_text() gives back, in the form of DaCe 1.0 (bare names in
/// symbolic text). Constants and opaque nodes, which no random program has, are refused.
/// \throws error{unsupported} naming what it is.
[[nodiscard]] std::string to_file_text(sdfg::graph const&);

} // namespace assay::fuzz
