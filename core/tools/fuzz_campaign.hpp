#pragma once
/// \file Runs the slots of a campaign in processes, several at a time, into its journal.
#include <chrono>
#include <cstdint>
#include <functional>

#include "fuzz/journal.hpp"
#include "fuzz_cases.hpp"

namespace assay::tool {

struct campaign_limits {
  std::uint64_t cases = 0; ///< of all shards together; 0: no limit
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  unsigned jobs = 1;
};

/// Runs every slot of the shard that the journal does not have yet. A case that ends its process or
/// does not end is a failure; the rest of its slot is run again. Failures are stored in `folder`
/// before the journal knows of them.
/// \param tick  called several times a second; false ends the campaign, and what is under way is
///              dropped.
void run_campaign(fuzz_cases const&, shard, campaign_limits const&, fuzz::journal&,
                  std::filesystem::path const& folder, std::function<bool()> const& tick);

} // namespace assay::tool
