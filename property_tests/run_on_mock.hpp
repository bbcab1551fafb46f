#pragma once
/// \file One run on mockgpu, from a clean state to its findings.
#include <vector>

#include "mockgpu/control.hpp"
#include "order_oracle.hpp"
#include "fuzz/run.hpp"

namespace assay::fuzz {

struct checked_run {
  outcome result;
  std::vector<mockgpu::finding> findings; ///< leaks included
  mockgpu::statistics statistics;
  std::vector<order_oracle::race> races; ///< what the oracle says, where it watched

  /// All findings as text.
  [[nodiscard]] std::string report() const;
};

/// Resets the mock, runs the plan under the schedule of the run, finishes. Not thread-safe: the
/// mock is one per process.
[[nodiscard]] checked_run run_on_mock(plan::program const&, symbol_values const& symbols,
                                      std::map<std::string, words> initial, run_spec const&,
                                      std::size_t withheld_bytes = 0, bool with_oracle = false);

} // namespace assay::fuzz
