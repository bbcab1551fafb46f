#pragma once
/// \file Kernels whose iterations are blocks: what maps over the threads of a block ask for.
#include <cstdint>
#include <optional>
#include <string>

#include "assay/sdfg.hpp"

namespace assay::plan {

/// Whether the scope of a map has maps over the threads of a block, in nested SDFGs too.
[[nodiscard]] bool has_thread_block_maps(sdfg::state const&, std::size_t entry);

/// Iterations of a range, or a bound above that a minimum gives; nothing where neither is constant.
[[nodiscard]] std::optional<std::int64_t> most_iterations(sdfg::range const&);

/// Whether C++ code asks which thread runs it, or meets the others.
[[nodiscard]] bool names_threads(std::string const& code);

} // namespace assay::plan
