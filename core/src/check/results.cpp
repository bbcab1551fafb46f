#include "assay/results.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/finding_groups.hpp"

namespace assay {
namespace {

constexpr std::size_t shown_findings = 10;

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string failures_text(judgement const& all) {
  std::map<std::string, std::pair<judged_run const*, std::size_t>>
      failures; // in the order of their text
  for (judged_run const& run : all.runs) {
    std::string problem;
    if (run.outcome == outcome::crash || run.outcome == outcome::timeout)
      problem = fmt::format("{}: {}", name(run.outcome), run.detail);
    else if (is_difference(run.outputs))
      problem = fmt::format("wrong result: {}", run.outputs);
    else
      continue;
    ++failures.try_emplace(problem, &run, 0).first->second.second;
  }
  std::string text;
  for (auto const& [problem, seen] : failures) {
    text += fmt::format("\n{}\n  in {}, first in: {}\n", problem, plural(seen.second, "run"),
                        seen.first->name);
    if (!seen.first->replay.empty())
      text += fmt::format("  again: assay replay {}\n", seen.first->replay);
  }
  return text;
}

} // namespace

std::string whole_json(check_finding const& finding) {
  nlohmann::json object = nlohmann::json::parse(finding.json);
  if (!finding.suppressed.empty()) object["suppressed"] = finding.suppressed;
  if (!finding.replay.empty()) object["replay"] = finding.replay;
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view name(outcome value) noexcept {
  switch (value) {
  case outcome::holds:
    return "holds";
  case outcome::partial:
    return "partial";
  case outcome::findings:
    return "findings";
  case outcome::wrong_results:
    return "wrong_results";
  case outcome::crash:
    return "crash";
  case outcome::timeout:
    return "timeout";
  case outcome::not_applicable:
    break;
  }
  return "not_applicable";
}

std::string table_text(outcome value, std::vector<check_finding> const& findings) {
  switch (value) {
  case outcome::holds:
    return "ok";
  case outcome::findings:
    return plural(static_cast<std::size_t>(std::ranges::count_if(findings, counts)), "finding");
  case outcome::wrong_results:
    return "wrong";
  case outcome::not_applicable:
    return "-";
  default:
    return std::string(name(value));
  }
}

outcome verdict_over(std::vector<judged_run> const& runs) noexcept {
  auto const saw = [&](outcome wanted) {
    return std::ranges::any_of(runs, [&](judged_run const& run) { return run.outcome == wanted; });
  };
  // A run that crashed or hung may have told of findings before.
  bool const any_findings = std::ranges::any_of(
      runs, [](judged_run const& run) { return std::ranges::any_of(run.findings, counts); });
  if (any_findings) return outcome::findings;
  for (outcome each : {outcome::findings, outcome::wrong_results, outcome::crash, outcome::timeout,
                       outcome::partial, outcome::holds})
    if (saw(each)) return each;
  return outcome::not_applicable;
}

std::vector<finding_group> groups_of(judgement const& all) {
  std::vector<finding_group> groups;
  std::map<std::string, std::size_t> known;
  for (judged_run const& run : all.runs) {
    std::map<std::string, bool> in_this_run;
    for (check_finding const& finding : run.findings) {
      if (!in_this_run.emplace(finding.group, true).second) continue;
      auto const [at, is_new] = known.emplace(finding.group, groups.size());
      if (is_new) groups.push_back({&finding, &run, 0});
      ++groups[at->second].runs;
    }
  }
  return groups;
}

std::string details_text(judgement const& all) {
  std::string text;
  std::vector<finding_group> groups = groups_of(all);
  std::erase_if(groups, [](auto const& group) { return !group.first->suppressed.empty(); });
  for (std::size_t i = 0; i < groups.size() && i < shown_findings; ++i) {
    finding_group const& group = groups[i];
    text += fmt::format("\n{}{}\n  seen in {} of {}, first in: {}\n",
                        group.first->advice ? "advice: " : "", group.first->text, group.runs,
                        plural(all.runs.size(), "run"), group.seen_in->name);
    if (std::string const& token = replay_of(group); !token.empty())
      text += fmt::format("  again: assay replay {}\n", token);
  }
  if (groups.size() > shown_findings)
    text += fmt::format("\n... and {} more (all of them: --format json)\n",
                        groups.size() - shown_findings);
  text += failures_text(all);
  if (!all.notes.empty()) text += '\n';
  for (std::string const& note : all.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string verdict_line(judgement const& all) {
  std::map<outcome, std::size_t> outcomes;
  std::uint64_t operations = 0, accesses = 0;
  std::size_t compared = 0;
  for (judged_run const& run : all.runs) {
    ++outcomes[run.outcome];
    operations += run.operations;
    accesses += run.accesses;
    compared += run.outputs != "not compared" ? 1 : 0;
  }
  std::size_t const ran = all.runs.size() - outcomes[outcome::not_applicable];
  std::string amount = plural(ran, "run");
  if (compared != 0) amount += fmt::format(", results compared in {}", compared);
  amount += fmt::format(", {} operations and {} accesses checked", operations, accesses);
  std::size_t suppressed = 0;
  for (finding_group const& group : groups_of(all))
    suppressed += group.first->suppressed.empty() ? 0 : 1;
  if (suppressed != 0) amount += fmt::format(", {} suppressed", plural(suppressed, "finding"));
  if (all.verdict == outcome::holds || all.verdict == outcome::partial)
    return fmt::format("verdict: {} ({})", name(all.verdict), amount);
  std::string parts;
  auto const add = [&](outcome each, std::string_view what) {
    if (outcomes[each] != 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", outcomes[each], what);
  };
  add(outcome::findings, "with findings");
  add(outcome::wrong_results, "with wrong results");
  add(outcome::crash, "crashed");
  add(outcome::timeout, "timed out");
  add(outcome::partial, "partly seen");
  add(outcome::holds, "ok");
  return fmt::format("verdict: {} ({}; {})", name(all.verdict), parts, amount);
}

} // namespace assay
