#include "check/e2e_tool.hpp"

#include <fstream>

#include "program/process.hpp"

namespace assay::e2e {

namespace fs = std::filesystem;

tool_result run_tool(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), ASSAY_TOOL);
  return run_command_line(arguments);
}

tool_result run_command_line(std::vector<std::string> const& arguments) {
  command_result result = run_command(arguments);
  return {result.exit_code, std::move(result.output)};
}

nlohmann::json read_json(fs::path const& file) {
  std::ifstream stream(file);
  return stream ? nlohmann::json::parse(stream) : nlohmann::json();
}

std::string program_of(std::string const& example) {
  return ASSAY_EXAMPLES "/" + example + "/program.sdfg";
}
std::string case_of(std::string const& example) {
  return ASSAY_EXAMPLES "/" + example + "/case.json";
}

std::vector<nlohmann::json> report::applied() const {
  std::vector<nlohmann::json> runs;
  if (json.is_object())
    for (auto const& run : json.at("runs"))
      if (run.at("outcome") != "not_applicable") runs.push_back(run);
  return runs;
}

report check_example(std::string const& example, std::vector<std::string> arguments) {
  scratch const folder;
  fs::path const file = folder.path / "report.json";
  arguments.insert(arguments.begin(),
                   {"check", program_of(example), "--case", case_of(example), "--format", "json",
                    "--output", file.string(), "--quiet", "--jobs", "2"});
  tool_result result = run_tool(std::move(arguments));
  report made{result.exit_code, nullptr, std::move(result.output)};
  made.json = read_json(file);
  return made;
}

std::string name_of(nlohmann::json const& run) {
  std::string name;
  for (char const* member : {"mode", "target", "stream", "call", "schedule", "outcome", "outputs"})
    name += run.at(member).get<std::string>() + " ";
  return name;
}

bool has_kind(nlohmann::json const& run, std::string const& kind) {
  for (auto const& finding : run.at("findings"))
    if (finding.at("kind") == kind) return true;
  return false;
}

} // namespace assay::e2e
