#include "run/built_program.hpp"

#include <set>

#include <gtest/gtest.h>

#include "program/process.hpp"

namespace assay::e2e {

built_program::built_program(std::string const& name, std::string const& driver,
                             std::vector<std::string> const& flags) {
  // A path is absolute, and then stands for itself.
  std::string const source = (std::filesystem::path(ASSAY_RUN_PROGRAMS) / name).string();
  std::vector<std::string> command{ASSAY_BIN "/" + driver, "-std=c++17", source, "-o", path()};
  command.insert(command.end(), flags.begin(), flags.end());
  command_result const built = run_command(command);
  EXPECT_EQ(built.exit_code, 0) << built.output;
}

report run_built(built_program const& program, std::vector<std::string> options,
                 std::vector<std::string> arguments) {
  std::filesystem::path const file = program.folder() / "report.json";
  std::filesystem::remove(file);
  options.insert(options.begin(), "run");
  options.insert(options.end(),
                 {"--format", "json", "--output", file.string(), "--jobs", "2", program.path()});
  options.insert(options.end(), arguments.begin(), arguments.end());
  tool_result result = run_tool(std::move(options));
  report made{result.exit_code, nullptr, std::move(result.output)};
  made.json = read_json(file);
  return made;
}

std::vector<std::string> kinds_of(report const& from) {
  std::set<std::string> kinds;
  if (from.json.is_object())
    for (auto const& run : from.json.at("runs"))
      for (auto const& finding : run.at("findings")) kinds.insert(finding.at("kind"));
  return {kinds.begin(), kinds.end()};
}

} // namespace assay::e2e
