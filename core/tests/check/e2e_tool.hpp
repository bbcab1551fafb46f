#pragma once
/// \file Runs the real command and reads its JSON report.
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/temporary_folder.hpp"

namespace assay::e2e {

struct tool_result {
  int exit_code = 0;
  std::string output; ///< standard output and standard error
};
/// Runs `assay` with a cache that all tests of one ctest run share.
[[nodiscard]] tool_result run_tool(std::vector<std::string> arguments);

/// Runs any command.
[[nodiscard]] tool_result run_command_line(std::vector<std::string> const& arguments);

/// \returns null if there is no such file.
[[nodiscard]] nlohmann::json read_json(std::filesystem::path const&);

/// A folder that is removed with the object.
struct scratch {
  temporary_folder folder;
  std::filesystem::path path = folder.path();
};

[[nodiscard]] std::string program_of(std::string const& example);
[[nodiscard]] std::string case_of(std::string const& example);

struct report {
  int exit_code = 0;
  nlohmann::json json; ///< null if the command gave none
  std::string messages;

  /// Runs that the plant or the matrix did not leave out.
  [[nodiscard]] std::vector<nlohmann::json> applied() const;
};
/// `assay check EXAMPLE --case ... --format json` with more arguments.
[[nodiscard]] report check_example(std::string const& example, std::vector<std::string> arguments);

/// One line that names a run: for messages of failed expectations.
[[nodiscard]] std::string name_of(nlohmann::json const& run);
/// Whether the run has a finding of the kind.
[[nodiscard]] bool has_kind(nlohmann::json const& run, std::string const& kind);

} // namespace assay::e2e
