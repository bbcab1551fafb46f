#pragma once
/// \file Runs a plan the way a caller would, with its own work before and after it.
#include <functional>
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
  bool had_workspace = false;         ///< of more than 0 bytes
  std::optional<std::string> failure; ///< of the program, where the run may fail
  std::optional<std::string> again;   ///< its failure when it was used again, or nothing
  /// Runtime calls that the program made: first and last, of each of its functions that made any.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> program_calls;
};

/// The caller's producer kernels fill the device arguments on the caller's stream right before the
/// call, and its consumer kernels read them right after it, with no wait between: an asynchronous
/// call must be ordered by the stream alone. Results of a synchronous call, and of a program with
/// streams of its own, are fetched at once on an unordered stream. In pool mode memory of the
/// caller's own is live on that stream. `withheld_bytes`: the workspace is so much too short.
/// After a failure that is expected the program is used again, from the same arguments.
/// `calls_so_far`: of the runtime, all callers together; may be empty.
[[nodiscard]] outcome run_plan(plan::program const&, symbol_values const& symbols,
                               std::map<std::string, words> initial, run_spec const&, gpu_runtime&,
                               observer&, std::size_t withheld_bytes = 0,
                               std::function<std::uint64_t()> const& calls_so_far = {});

/// Content of the arguments from a seed.
[[nodiscard]] std::map<std::string, words> initial_content(sdfg::graph const&, symbol_values const&,
                                                           std::uint64_t seed);

} // namespace assay::fuzz
