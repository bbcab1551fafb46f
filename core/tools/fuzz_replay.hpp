#pragma once
/// \file The token of a campaign's case: the file, the settings and the draws.
#include <filesystem>
#include <functional>

#include "fuzz_case.hpp"
#include "replay_token.hpp"

namespace assay::tool {

/// A case by itself.
struct fuzz_point {
  std::filesystem::path file; ///< absolute
  symbol_values set;
  std::uint64_t content_seed = 1, draw = 0;
  bool has_model = false;
  bool compiled = false; ///< as generated code instead of a plan
  assay::plant plant = plant::none;
  fuzz::choice choice;
};
[[nodiscard]] replay_token token_of(fuzz_point const&);
/// \throws error{invalid_input} naming the member that is wrong.
[[nodiscard]] fuzz_point point_of(replay_token const&);

/// The outcome in a process of its own: one that ends it is a crash.
[[nodiscard]] case_outcome isolated_case(std::function<case_outcome()> const&);

/// Repeats the case and prints what came of it. \returns the exit code.
[[nodiscard]] int replay_fuzz(replay_token const&);

} // namespace assay::tool
