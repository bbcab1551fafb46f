#pragma once
/// \file Runs a plan the way a caller would, with its own work before and after it.
#include <map>
#include <optional>
#include <string>

#include "assay/execute.hpp"
#include "fuzz/case_spec.hpp"
#include "fuzz/model.hpp"

namespace assay::fuzz {

struct outcome {
  std::map<std::string, words> memory; ///< arguments after the last call
  std::optional<std::string> refused;  ///< message of the call that was refused
  plan::execution_counts counts;
  bool had_workspace = false; ///< of more than 0 bytes
};

/// The caller's producer kernels fill the device arguments on the caller's stream right before the
/// call, and its consumer kernels read them right after it, with no wait between: an asynchronous
/// call must be ordered by the stream alone. Results of a synchronous call, and of a program with
/// streams of its own, are fetched at once on an unordered stream. In pool mode memory of the
/// caller's own is live on that stream. `withheld_bytes`: the workspace is so much too short.
[[nodiscard]] outcome run_plan(plan::program const&, symbol_values const& symbols,
                               std::map<std::string, words> initial, run_spec const&, gpu_runtime&,
                               observer&, std::size_t withheld_bytes = 0);

/// Content of the arguments from a seed.
[[nodiscard]] std::map<std::string, words> initial_content(sdfg::graph const&, symbol_values const&,
                                                           std::uint64_t seed);

} // namespace assay::fuzz
