#include "check/compute_sanitizer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> tools{"memcheck", "racecheck", "initcheck", "synccheck"};
/// Given to the sanitizer as its own; no run ends with it (70 is the checker's).
constexpr int reported = 86;
constexpr std::string_view mark = "========= ";

} // namespace

std::vector<std::string> sanitizer_command(std::string const& tool, std::string const& program) {
  if (std::ranges::find(tools, tool) == tools.end())
    throw error(errc::invalid_input,
                fmt::format("unknown tool '{}' of compute-sanitizer (one of {})", tool,
                            fmt::join(tools, ", ")));
  std::vector<std::string> command{program, "--tool", tool, "--error-exitcode",
                                   std::to_string(reported), "--log-file", "/dev/stderr",
                                   // One error in whole: only the end of standard error is kept.
                                   "--print-limit", "1", "--show-backtrace", "device"};
  if (tool == "memcheck") {
    // The program reports failed calls itself, and some of a run's are meant to fail.
    command.insert(command.end(), {"--report-api-errors", "no", "--leak-check", "full"});
  }
  return command;
}

std::string sanitizer_report(int exit_code, std::string_view messages) {
  if (exit_code != reported) return {};
  std::string report;
  for (std::size_t at = 0; at < messages.size();) {
    std::size_t const end = std::min(messages.find('\n', at), messages.size());
    std::string_view line = messages.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(mark)) continue;
    line.remove_prefix(mark.size());
    if (line == "COMPUTE-SANITIZER" || line.starts_with("ERROR SUMMARY")) continue;
    bool const goes_on = line.starts_with(' ');
    if (!goes_on && !report.empty()) break;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) report += (report.empty() ? "" : "; ") + std::string(line);
  }
  return "compute-sanitizer: " + (report.empty() ? "an error without a text" : report);
}

} // namespace assay
