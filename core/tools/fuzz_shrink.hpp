#pragma once
/// \file From a case that fails to a small one that fails alike.
#include <filesystem>

#include "fuzz/journal.hpp"
#include "fuzz_cases.hpp"
#include "fuzz_replay.hpp"

namespace assay::tool {

/// The cases of a slot but for their settings and draws. A random program is written to `file`
/// first, unless that is empty.
[[nodiscard]] fuzz_point point_of_slot(fuzz_cases const&, std::uint64_t slot,
                                       std::filesystem::path const& file);

/// Tries smaller programs, smaller symbols and settings nearer to the defaults, each in a process
/// of its own, as long as the failure has the same group and the attempts last; stores the program
/// as <folder>/case-N.sdfg (random ones) and the token and the report beside it in case-N.txt.
/// `folder`: absolute. Without `shrink` the case is stored as it is.
[[nodiscard]] fuzz::failed_case shrink_and_store(fuzz_cases const&, std::uint64_t number,
                                                 case_outcome const&,
                                                 std::filesystem::path const& folder, bool shrink);

} // namespace assay::tool
