#pragma once
/// \file Runs in which one call of the runtime was made to fail: what the program made of it.
#include <array>
#include <cstdint>
#include <string_view>

#include "assay/check.hpp"

namespace assay {

/// What each call fails with: once with an error that the call alone returns, and twice so that
/// every later call fails too.
inline constexpr std::array<std::string_view, 3> swept_errors{"out-of-memory", "launch-failure",
                                                              "sticky"};
/// Of one run; later calls repeat what the earlier ones show.
inline constexpr std::uint64_t most_swept_calls = 500;

/// Turns the outcome of a run with a failed call into a judgement of how the program handled that.
/// It has to report the failure, to leave nothing behind, and to be usable again where the device
/// still works: then the outcome is `holds`, with the program's message in `detail`.
/// \param plain the same run without the failure: its findings are not the failure's.
void judge_failure(check_run&, check_run const& plain);

} // namespace assay
