#pragma once
/// \file What runs came to, whoever ran them: the value that every report format is written from.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What a checker reported: the fields that core decides by, and the whole as the checker wrote it.
struct check_finding {
  std::string kind;
  bool advice = false;
  std::string edge;         ///< "wait:3:7", or empty
  std::string group;        ///< equal for one fault seen in several runs
  std::string text;         ///< several lines, for people
  std::string json;         ///< one object
  std::string suppressed{}; ///< the reason that the user gave for not counting it, or empty
  std::string order{};      ///< the checker's token of the run up to here, or empty
  std::string replay{};     ///< repeats the order that showed it, where its run has several
};
/// Whether a verdict depends on it: neither advice nor suppressed.
[[nodiscard]] inline bool counts(check_finding const& finding) {
  return !finding.advice && finding.suppressed.empty();
}

/// Its JSON object with what the report adds: `suppressed` and `replay`, where they are not empty.
[[nodiscard]] std::string whole_json(check_finding const&);

enum class outcome : std::uint8_t {
  holds,
  partial, ///< holds, but some of the program's code was built without hooks
  findings,
  wrong_results,
  crash,
  timeout,
  not_applicable
};
[[nodiscard]] std::string_view name(outcome) noexcept;

/// How a table shows a run: "ok", "partial", "2 findings", "wrong", "crash", "timeout", "-".
[[nodiscard]] std::string table_text(outcome, std::vector<check_finding> const&);

/// One run of a program.
struct judged_run {
  std::string name; ///< of its settings: "scoped cuda default async eager"
  assay::outcome outcome = outcome::holds;
  std::string outputs; ///< "equal", "not compared", or the first difference
  std::string detail;  ///< how a crash or a timeout came about
  std::vector<check_finding> findings;
  std::uint64_t operations = 0, accesses = 0;
  double seconds = 0;
  std::string replay; ///< the token that repeats the run, or empty
};

/// Whether outputs were compared and are not equal.
[[nodiscard]] inline bool is_difference(std::string_view outputs) {
  return outputs != "equal" && outputs != "not compared";
}

/// All runs of one command, with the verdict over them.
struct judgement {
  std::string subject; ///< file of the program
  assay::outcome verdict = outcome::holds;
  std::vector<judged_run> runs;
  std::vector<std::string> notes; ///< one line each: unused suppressions, code that was not seen
};

/// The worst outcome that decides: a finding of any run before wrong results, these before a crash,
/// this before a timeout. `not_applicable` if no run took place.
[[nodiscard]] outcome verdict_over(std::vector<judged_run> const&) noexcept;

/// Each finding once with the runs that have it, then failures, then notes. Empty, or ends with a
/// newline.
[[nodiscard]] std::string details_text(judgement const&);
/// "verdict: ...", without a newline.
[[nodiscard]] std::string verdict_line(judgement const&);

/// JUnit's XML: a test case for each run.
[[nodiscard]] std::string to_junit(judgement const&);
/// SARIF 2.1.0 (OASIS standard): a result for each finding, joined over runs, and for each failure.
[[nodiscard]] std::string to_sarif(judgement const&);

} // namespace assay
