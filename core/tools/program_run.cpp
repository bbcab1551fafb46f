#include "program_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/personality.h>
#include <unistd.h>

#include "assay/error.hpp"
#include "check/children.hpp"
#include "finding_json.hpp"
#include "replay_token.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

/// Removed with the object.
struct report_folder {
  fs::path path;
  report_folder() {
    std::string name = (fs::temp_directory_path() / "assay-run-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw error(errc::environment, std::string("cannot make a folder: ") + std::strerror(errno),
                  {}, name);
    path = name;
  }
  report_folder(report_folder const&) = delete;
  report_folder& operator=(report_folder const&) = delete;
  ~report_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  [[nodiscard]] std::string file(std::size_t run) const {
    return (path / fmt::format("{}.jsonl", run)).string();
  }
};

/// What the processes of one run wrote into their report.
struct written_report {
  std::vector<mockgpu::finding> findings;
  std::size_t begun = 0, ended = 0;
  std::uint64_t operations = 0, accesses = 0;
  std::set<std::string> unhooked; ///< code that the checker did not see
};

written_report read_report(std::string const& file) {
  written_report report;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (std::optional<mockgpu::finding> found = parse_finding(line)) {
      report.findings.push_back(std::move(*found));
      continue;
    }
    json const message = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!message.is_object()) continue; // torn by the end of its process
    if (message.contains("begin")) ++report.begun;
    if (auto const end = message.find("end"); end != message.end()) {
      ++report.ended;
      report.operations += end->at("operations").get<std::uint64_t>();
      report.accesses += end->at("accesses").get<std::uint64_t>();
      report.unhooked.merge(end->at("unhooked").get<std::set<std::string>>());
    }
  }
  report.findings = mockgpu::coalesce(std::move(report.findings));
  return report;
}

std::string joined(std::vector<std::string> const& parts, char separator) {
  std::string text;
  for (std::string const& part : parts)
    text += (text.empty() ? "" : std::string(1, separator)) + part;
  return text;
}

std::vector<std::string> variables(run_request const& request, std::string const& schedule,
                                   std::string const& report_file) {
  // Empty values hide what the user's shell may have set: a run depends on its options alone.
  return {"MOCKGPU_SCHEDULE=" + schedule,
          "MOCKGPU_DIALECT=" + request.dialect,
          "MOCKGPU_DEPTH=" + request.depth,
          fmt::format("MOCKGPU_DEVICES={}", request.devices),
          fmt::format("MOCKGPU_ADVICE={}", request.advice ? 1 : 0),
          "MOCKGPU_EDGES=" + joined(request.edges, ','),
          "MOCKGPU_REPORT=" + report_file,
          "MOCKGPU_SUPPRESSIONS=", // judged here, over all runs
          "MOCKGPU_QUIET=1"};
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string token_of(run_request const& request, std::string const& schedule) {
  replay_token token{"run", {}};
  token.add("schedule", schedule);
  token.add("dialect", request.dialect);
  token.add("depth", request.depth);
  if (request.devices != 1) token.add("devices", std::to_string(request.devices));
  if (request.advice) token.add("advice", "1");
  for (std::string const& edge : request.edges) token.add("edge", edge);
  token.add("program", request.command.front());
  for (std::size_t i = 1; i < request.command.size(); ++i)
    token.members.emplace_back("argument", request.command[i]);
  return to_text(token);
}

void judge(run_request const& request, child_outcome const& ended, judged_run& run) {
  bool const has_findings = std::ranges::any_of(run.findings, counts);
  switch (ended.how) {
  case ending::timed_out:
    run.outcome = outcome::timeout;
    run.detail = fmt::format("no end after {} ms", request.time_limit.count());
    break;
  case ending::out_of_memory:
    run.outcome = outcome::crash;
    run.detail = fmt::format("more than {} MiB of memory", request.memory_limit_bytes >> 20);
    break;
  case ending::signalled:
    run.outcome = outcome::crash;
    run.detail = fmt::format("signal {} ({})", ended.code, strsignal(ended.code));
    break;
  case ending::exited:
    if (ended.code == 0) {
      run.outcome = has_findings ? outcome::findings : outcome::holds;
      return;
    }
    run.outcome = outcome::crash;
    run.detail = ended.code == 70 ? "ended by the checker: the access cannot be carried out"
                                  : fmt::format("exit code {}", ended.code);
    break;
  }
  if (std::string const last = last_line(ended.messages); !last.empty()) run.detail += ": " + last;
}

} // namespace

program_report run_program(run_request const& request) {
  ASSAY_ASSERT(!request.command.empty() && !request.schedules.empty());
  report_folder const folder;
  // A replay gives the same addresses too, where the system lets us ask for that.
  personality(ADDR_NO_RANDOMIZE);
  std::vector<child_request> children;
  for (std::size_t i = 0; i < request.schedules.size(); ++i)
    children.push_back(
        {request.command, {}, variables(request, request.schedules[i], folder.file(i))});
  program_report report;
  report.runs.resize(children.size());
  std::size_t begun = 0, cut_short = 0;
  std::set<std::string> unhooked;
  mockgpu::suppressions known = request.suppressions;
  child_limits const limits{request.time_limit, request.memory_limit_bytes};
  run_children(children, request.jobs, limits, [&](std::size_t i, child_outcome ended) {
    program_run& run = report.runs[i];
    run.schedule = request.schedules[i];
    judged_run& result = run.result;
    result.name = run.schedule;
    result.outputs = "not compared";
    result.seconds = ended.seconds;
    result.replay = token_of(request, run.schedule);
    written_report const written = read_report(folder.file(i));
    for (mockgpu::finding const& finding : written.findings) {
      result.findings.push_back(to_core(finding));
      if (mockgpu::suppression const* const entry = known.match(finding))
        result.findings.back().suppressed = entry->reason;
    }
    result.operations = written.operations;
    result.accesses = written.accesses;
    judge(request, ended, result);
    if (!written.unhooked.empty() && result.outcome == outcome::holds)
      result.outcome = outcome::partial;
    unhooked.insert(written.unhooked.begin(), written.unhooked.end());
    begun += written.begun;
    bool const exited = result.outcome == outcome::holds || result.outcome == outcome::partial ||
                        result.outcome == outcome::findings;
    if (written.begun > written.ended && exited) ++cut_short;
    run.output = std::move(ended.output);
    run.messages = std::move(ended.messages);
  });
  if (begun == 0 && report.runs.front().result.outcome == outcome::holds)
    throw error(errc::invalid_input,
                "the program made no call of a GPU runtime that mockgpu saw; build it with "
                "mockgpu-nvcc, mockgpu-hipcc or mockgpu-cxx",
                {}, request.command.front());
  if (cut_short != 0)
    report.notes.push_back(
        fmt::format("the program ended without its exit handlers in {} of {} runs: what was still "
                    "queued was not run, and leaks were not looked for",
                    cut_short, report.runs.size()));
  if (!unhooked.empty())
    report.notes.push_back(fmt::format("built without mockgpu's drivers, so its accesses were not "
                                       "seen: {}",
                                       fmt::join(unhooked, ", ")));
  for (std::string const& line : known.unused()) report.notes.push_back(line);
  return report;
}

judgement judgement_of(run_request const& request, program_report const& report) {
  judgement all{request.command.front(), outcome::holds, {}, report.notes};
  for (program_run const& run : report.runs) all.runs.push_back(run.result);
  all.verdict = verdict_over(all.runs);
  return all;
}

std::string to_text(run_request const& request, program_report const& report) {
  std::size_t width = std::string_view("schedule").size();
  for (program_run const& run : report.runs) width = std::max(width, run.schedule.size());
  std::string text = fmt::format("{:<{}}  {:<12}  {:>10}  {:>10}\n", "schedule", width, "outcome",
                                 "operations", "accesses");
  for (program_run const& run : report.runs) {
    std::size_t const count =
        static_cast<std::size_t>(std::ranges::count_if(run.result.findings, counts));
    std::string const outcome = run.result.outcome == outcome::holds ? "ok"
                                : run.result.outcome == outcome::findings
                                    ? fmt::format("{} finding{}", count, count == 1 ? "" : "s")
                                    : std::string(name(run.result.outcome));
    text += fmt::format("{:<{}}  {:<12}  {:>10}  {:>10}\n", run.schedule, width, outcome,
                        run.result.operations, run.result.accesses);
  }
  judgement const all = judgement_of(request, report);
  return text + details_text(all) + '\n' + verdict_line(all) + '\n';
}

std::string to_json(run_request const& request, program_report const& report) {
  json runs = json::array();
  std::uint64_t operations = 0, accesses = 0;
  for (program_run const& run : report.runs) {
    json findings = json::array();
    for (check_finding const& finding : run.result.findings) {
      findings.push_back(json::parse(finding.json));
      if (!finding.suppressed.empty()) findings.back()["suppressed"] = finding.suppressed;
    }
    operations += run.result.operations;
    accesses += run.result.accesses;
    json entry{{"schedule", run.schedule},        {"outcome", name(run.result.outcome)},
               {"findings", std::move(findings)}, {"operations", run.result.operations},
               {"accesses", run.result.accesses}, {"seconds", run.result.seconds},
               {"replay", run.result.replay}};
    if (!run.result.detail.empty()) entry["detail"] = run.result.detail;
    runs.push_back(std::move(entry));
  }
  json root{
      {"program", request.command.front()},
      {"arguments", std::vector<std::string>(request.command.begin() + 1, request.command.end())},
      {"verdict", name(judgement_of(request, report).verdict)},
      {"checked",
       {{"runs", report.runs.size()}, {"operations", operations}, {"accesses", accesses}}},
      {"notes", report.notes},
      {"runs", std::move(runs)}};
  if (!request.dialect.empty()) root["dialect"] = request.dialect;
  if (!request.depth.empty()) root["depth"] = request.depth;
  return root.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace assay::tool
