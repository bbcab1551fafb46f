#pragma once
/// \file Runs a command without a shell.
#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct command_result {
  int exit_code = 0;  ///< 128 + signal number where a signal ended it
  std::string output; ///< standard output and standard error, as they came
};

/// Runs `arguments[0]` (looked up in PATH) and waits. Thread-safe.
/// \throws error{environment} if it cannot be started, naming the command.
[[nodiscard]] command_result run_command(std::vector<std::string> const& arguments,
                                         std::filesystem::path const& working_directory = {});

} // namespace assay
