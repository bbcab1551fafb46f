#include "check/agreement.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace assay {

std::string disagreement(judged_run const& first, judged_run const& second) {
  if (first.outcome != second.outcome)
    return fmt::format("{}, then {}", name(first.outcome), name(second.outcome));
  if (first.outputs != second.outputs)
    return fmt::format("outputs '{}', then '{}'", first.outputs, second.outputs);
  // A run that a limit has ended may have come further the second time.
  if (first.outcome == outcome::timeout) return {};
  auto const differs = std::ranges::mismatch(first.findings, second.findings, {},
                                             &check_finding::json, &check_finding::json);
  std::string const none = "no finding";
  auto const text = [&](auto at, auto const& list) { return at == list.end() ? none : at->json; };
  if (differs.in1 != first.findings.end() || differs.in2 != second.findings.end())
    return fmt::format("{}, then {}", text(differs.in1, first.findings),
                       text(differs.in2, second.findings));
  if (first.operations != second.operations)
    return fmt::format("{} operations, then {}", first.operations, second.operations);
  if (first.accesses != second.accesses)
    return fmt::format("{} accesses, then {}", first.accesses, second.accesses);
  return {};
}

void require_agreement(judged_run& run, judged_run const& second) {
  std::string const words = disagreement(run, second);
  if (words.empty()) return;
  run.outcome = outcome::crash;
  run.detail = "two runs of these settings do not agree: " + words;
}

} // namespace assay
