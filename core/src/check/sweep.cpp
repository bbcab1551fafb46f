#include "check/sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace assay {
namespace {

/// The vendors' names of calls that give something back.
bool gives_back(std::string_view call) {
  return std::ranges::any_of(std::array<std::string_view, 3>{"Free", "Destroy", "Unregister"},
                             [&](std::string_view word) { return call.find(word) != call.npos; });
}

void forget(std::vector<check_finding>& findings, check_run const& run, check_run const& plain) {
  std::erase_if(findings, [&](check_finding const& one) {
    return std::ranges::any_of(plain.findings, [&](check_finding const& known) {
      return known.group == one.group && known.kind == one.kind;
    });
  });
  // What a failed release was to give back stays.
  if (!gives_back(run.failed_call)) return;
  auto const leak = std::ranges::find(findings, "leak", &check_finding::kind);
  if (leak != findings.end()) findings.erase(leak);
}

} // namespace

void judge_failure(check_run& run, check_run const& plain) {
  if (run.failed_call.empty()) return; // nothing failed, so the run is judged like any other
  bool const reported = run.outcome == outcome::crash && !run.failure.empty();
  if (run.outcome == outcome::timeout || (run.outcome == outcome::crash && !reported)) return;
  forget(run.findings, run, plain);
  bool const device_lost =
      run.cell.fault.starts_with("launch-failure@") || run.cell.fault.starts_with("sticky@");
  // A lost device runs nothing more, and nobody can wait for it: nothing races with what it had.
  if (device_lost)
    std::erase_if(run.findings, [](check_finding const& one) {
      return one.kind == "host-race" || one.kind == "stream-race";
    });
  if (std::ranges::any_of(run.findings, counts)) {
    run.outcome = outcome::findings;
  } else if (!reported) {
    run.outcome = outcome::wrong_results;
    run.outputs = fmt::format("the program reports success although {} failed", run.failed_call);
  } else if (device_lost && !is_difference(run.again)) {
    run.outcome = outcome::wrong_results;
    run.outputs = fmt::format("the program reports success on the device that {} left unusable",
                              run.failed_call);
  } else if (!device_lost && run.again != plain.outputs) {
    run.outcome = outcome::wrong_results;
    run.outputs = fmt::format("used again after {} had failed: {}", run.failed_call, run.again);
  } else {
    run.outcome = outcome::holds;
  }
}

} // namespace assay
