// Builds one sample with a compiler driver, runs it under every schedule and judges its reports:
// a correct sample has none, a faulty variant has exactly the expected kinds in every schedule, and
// perhaps reads of undefined bytes: what is read without an order is not defined by one either.
//
// sample_runner DRIVER SOURCE FAULT EXPECTED: FAULT is a macro that plants the fault, or "none";
// EXPECTED is "silent" or kinds of finding, separated by commas. With "some:" in front, what ran
// first decides whether the fault shows: it is reported in at least one schedule, and nothing else
// in any.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "files.hpp"

namespace {

namespace fs = std::filesystem;

constexpr char const* schedules[] = {"eager",    "lazy",  "random:1", "random:2",
                                     "random:3", "pct:1", "pct:2"};
constexpr char const* time_limit_s = "60";

struct outcome {
  int exit_code = 0;
  std::string output; ///< standard output and error
};

outcome shell(std::string const& command) {
  auto const result =
      mockgpu::tools::run_process({"sh", "-c", command + " 2>&1"}, /*capture=*/true);
  return {result.exit_code, result.output};
}

/// The kinds of all findings in a report, advice left out.
std::set<std::string> kinds_in(fs::path const& report) {
  std::set<std::string> kinds;
  std::ifstream file(report);
  for (std::string line; std::getline(file, line);) {
    auto const one = nlohmann::json::parse(line);
    if (one.contains("kind") && !one.value("advice", false)) kinds.insert(one.at("kind"));
  }
  return kinds;
}

std::set<std::string> split(std::string const& text) {
  std::set<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = text.find(',', begin);
    if (end == std::string::npos) end = text.size();
    parts.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string joined(std::set<std::string> const& parts) {
  std::string text;
  for (std::string const& part : parts) text += (text.empty() ? "" : ",") + part;
  return text.empty() ? "silent" : text;
}

/// What is wrong with one run, or an empty text.
std::string judge(outcome const& run, std::set<std::string> const& found,
                  std::set<std::string> const& expected) {
  std::set<std::string> judged = found;
  if (!expected.empty() && !expected.contains("undefined-read")) judged.erase("undefined-read");
  if (judged != expected) return "expected " + joined(expected) + ", reported " + joined(found);
  if (!expected.empty()) return "";
  if (run.exit_code != 0) return "exit code " + std::to_string(run.exit_code);
  // A sample says so only after it has compared its results.
  return run.output.find("passed") == std::string::npos ? "did not say 'passed'" : "";
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: sample_runner DRIVER SOURCE FAULT EXPECTED\n");
    return 2;
  }
  std::string const driver = argv[1], source = argv[2], fault = argv[3];
  std::string expectation = argv[4];
  bool const in_some = expectation.starts_with("some:");
  if (in_some) expectation.erase(0, 5);
  auto const expected = expectation == "silent" ? std::set<std::string>() : split(expectation);

  std::string pattern = (fs::temp_directory_path() / "mockgpu-sample-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return 2;
  fs::path const work = pattern;
  std::string const binary = (work / "sample").string();

  int failures = 0, reporting = 0;
  outcome const built =
      shell(driver + " -O2 -g -std=c++17 " + (fault == "none" ? "" : "-D" + fault + " ") + source +
            " -o " + binary);
  if (built.exit_code != 0) {
    std::printf("does not build:\n%s\n", built.output.c_str());
    failures = 1;
  }
  for (char const* const schedule : schedules) {
    if (built.exit_code != 0) break;
    fs::path const report = work / (std::string("report-") + schedule);
    outcome const run =
        shell("MOCKGPU_SCHEDULE=" + std::string(schedule) + " MOCKGPU_REPORT=" + report.string() +
              " timeout " + time_limit_s + " " + binary);
    auto const found = kinds_in(report);
    if (!found.empty()) ++reporting;
    std::string const problem = judge(run, found, in_some && found.empty() ? found : expected);
    if (problem.empty()) continue;
    ++failures;
    std::printf("%s: %s\n%s\n", schedule, problem.c_str(), run.output.c_str());
  }
  if (in_some && reporting == 0) {
    ++failures;
    std::printf("no schedule shows the fault\n");
  }
  fs::remove_all(work);
  if (failures == 0)
    std::printf("%s in %zu schedules\n", expectation.c_str(), std::size(schedules));
  return failures == 0 ? 0 : 1;
}
