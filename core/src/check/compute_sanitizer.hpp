#pragma once
/// \file NVIDIA's compute-sanitizer around the runs of a check on a real device. It sees what no
/// comparison of results does: accesses out of bounds, races in shared memory, bytes read before
/// they are written. Source: its own manual, version 2025.3 and 2026.4.
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What to put before a run's command. Its report goes to standard error, since standard output is
/// the program's.
/// \param tool memcheck, racecheck, initcheck or synccheck.
/// \param program compute-sanitizer, as a path or a name to be found in PATH.
/// \throws error{invalid_input} for another tool.
[[nodiscard]] std::vector<std::string> sanitizer_command(std::string const& tool,
                                                         std::string const& program);

/// The first error in what a run wrote to standard error, or empty where `exit_code` says that
/// there was none.
[[nodiscard]] std::string sanitizer_report(int exit_code, std::string_view messages);

} // namespace assay
