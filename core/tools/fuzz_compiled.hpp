#pragma once
/// \file Cases of a campaign whose programs are generated, compiled and run in processes of their
/// own, as `assay check` does: for what only compiled kernels show.
#include <filesystem>

#include "fuzz_replay.hpp"

namespace assay::tool {

/// The nearest settings that a compiled run has: those of one library are `library`'s.
[[nodiscard]] fuzz::choice compiled_choice(fuzz::choice, fuzz::choice const& library);

/// One after the other, libraries of equal settings are built once: they lie in `cache`. Results
/// are those of the program on the host. Where the settings have a fault, a run without it tells
/// which calls the program makes.
[[nodiscard]] case_outcome run_compiled_case(fuzz_point const&, std::filesystem::path const& cache);

} // namespace assay::tool
