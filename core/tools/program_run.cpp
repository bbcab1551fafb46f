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

#include "assay/error.hpp"
#include "check/agreement.hpp"
#include "check/children.hpp"
#include "finding_json.hpp"
#include "program/temporary_folder.hpp"
#include "replay_token.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

/// How a process ends that the checker ends, for an access that cannot be carried out.
constexpr int checker_exit_code = 70;
/// Of one sweep.
constexpr std::uint64_t most_failures = 10'000;

/// What the processes of one run wrote into their report.
struct written_report {
  std::vector<mockgpu::finding> findings;
  std::size_t begun = 0, ended = 0;
  std::uint64_t calls = 0, faults = 0;
  std::string failed_call; ///< "cudaMalloc (a.cu:12)"
  std::uint64_t operations = 0, accesses = 0, orders = 0;
  std::set<std::string> unhooked; ///< code that the checker did not see
};

std::string fault_text(json const& fault) {
  std::string text = fault.at("entry_point").get<std::string>();
  std::string const file = fault.at("file").get<std::string>();
  if (!file.empty())
    text += fmt::format(" ({}:{})", fs::path(file).filename().string(),
                        fault.at("line").get<unsigned>());
  return text;
}

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
    if (auto const orders = message.find("orders"); orders != message.end())
      orders->get_to(report.orders);
    if (auto const fault = message.find("fault");
        fault != message.end() && report.failed_call.empty())
      report.failed_call = fault_text(*fault);
    if (auto const end = message.find("end"); end != message.end()) {
      ++report.ended;
      report.calls += end->at("calls").get<std::uint64_t>();
      report.faults += end->at("faults").get<std::uint64_t>();
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

/// What differs between the runs of one request.
struct setting {
  std::string schedule, fault;
};

std::vector<std::string> variables(run_request const& request, setting const& setting,
                                   std::string const& report_file) {
  // Empty values hide what the user's shell may have set: a run depends on its options alone.
  return {"MOCKGPU_SCHEDULE=" + setting.schedule,
          "MOCKGPU_FAULT=" + setting.fault,
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

std::string token_of(run_request const& request, setting const& setting) {
  replay_token token{"run", {}};
  token.add("schedule", setting.schedule);
  token.add("fault", setting.fault);
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
    run.detail = ended.code == checker_exit_code
                     ? "ended by the checker: the access cannot be carried out"
                     : fmt::format("exit code {}", ended.code);
    break;
  }
  if (std::string const last = last_line(ended.messages); !last.empty()) run.detail += ": " + last;
}

/// The library has ended the program before its first line (mockgpu_require_layout).
bool is_of_another_version(program_run const& run) {
  return run.exit_code == static_cast<int>(errc::environment) &&
         run.messages.find("another version of mockgpu") != std::string::npos;
}

/// Runs all settings. The report has a run for each, in their order.
program_report run_settings(run_request const& request, std::vector<setting> const& settings,
                            mockgpu::suppressions& known) {
  temporary_folder const folder;
  auto const report_file = [&](std::size_t run) {
    return (folder.path() / fmt::format("{}.jsonl", run)).string();
  };
  // A replay gives the same addresses too, where the system lets us ask for that.
  personality(ADDR_NO_RANDOMIZE);
  std::vector<child_request> children;
  for (std::size_t i = 0; i < settings.size(); ++i)
    children.push_back({request.command, {}, variables(request, settings[i], report_file(i))});
  program_report report;
  report.runs.resize(children.size());
  std::size_t begun = 0, cut_short = 0;
  std::set<std::string> unhooked;
  child_limits const limits{request.time_limit, request.memory_limit_bytes};
  run_children(children, request.jobs, limits, [&](std::size_t i, child_outcome ended) {
    program_run& run = report.runs[i];
    run.schedule = settings[i].schedule;
    run.fault = settings[i].fault;
    judged_run& result = run.result;
    result.name = run.schedule + (run.fault.empty() ? "" : " " + run.fault);
    result.outputs = "not compared";
    result.seconds = ended.seconds;
    result.replay = token_of(request, settings[i]);
    written_report const written = read_report(report_file(i));
    bool const several_orders = run.schedule.starts_with("exhaustive");
    run.orders = written.orders;
    for (mockgpu::finding const& finding : written.findings) {
      result.findings.push_back(to_core(finding));
      if (several_orders)
        result.findings.back().replay =
            token_of(request, {"replay:" + finding.token, settings[i].fault});
      if (mockgpu::suppression const* const entry = known.match(finding))
        result.findings.back().suppressed = entry->reason;
    }
    run.failed_call = written.failed_call;
    run.exit_code = ended.how == ending::exited ? ended.code : -1;
    run.aborted = ended.how == ending::signalled && ended.code == SIGABRT;
    run.calls = written.calls;
    run.faults = written.faults;
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
  if (begun == 0 && !report.runs.empty() && is_of_another_version(report.runs.front()))
    throw error(errc::environment, "it was built by the drivers of another version of mockgpu", {},
                request.command.front());
  if (begun == 0 && !report.runs.empty() && report.runs.front().result.outcome == outcome::holds)
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
  return report;
}

/// Leaks, and what the program does wrong without any failure, are not the failure's.
void forget_known(std::vector<check_finding>& findings, std::vector<check_finding> const& known) {
  std::erase_if(findings, [&](check_finding const& one) {
    return one.kind == "leak" || std::ranges::any_of(known, [&](check_finding const& old) {
             return old.group == one.group;
           });
  });
}

/// The first line that differs, for a message.
std::string first_difference(std::string_view now, std::string_view before) {
  while (!now.empty() || !before.empty()) {
    std::string_view const line = now.substr(0, now.find('\n'));
    std::string_view const old = before.substr(0, before.find('\n'));
    if (line != old) return fmt::format("'{}' instead of '{}'", line, old);
    now.remove_prefix(std::min(line.size() + 1, now.size()));
    before.remove_prefix(std::min(old.size() + 1, before.size()));
  }
  return {};
}

/// What the program made of the failure of one call.
void judge_failure(program_run& run, program_run const& plain, bool output_is_stable) {
  judged_run& result = run.result;
  result.name = fmt::format("{}, failing {}", run.schedule,
                            run.failed_call.empty() ? run.fault : run.failed_call);
  forget_known(result.findings, plain.result.findings);
  bool const noticed = run.aborted || (run.exit_code > 0 && run.exit_code != checker_exit_code);
  if (std::ranges::any_of(result.findings, counts)) {
    if (result.outcome == outcome::holds || noticed) result.outcome = outcome::findings;
    return;
  }
  if (noticed || result.outcome == outcome::findings) result.outcome = outcome::holds;
  if (!noticed && run.exit_code == 0 && output_is_stable && run.output != plain.output) {
    result.outcome = outcome::wrong_results;
    result.outputs = fmt::format("the program ends with success although {} failed, and prints {}",
                                 run.failed_call, first_difference(run.output, plain.output));
  }
}

} // namespace

program_report run_program(run_request const& request) {
  ASSAY_ASSERT(!request.command.empty() && !request.schedules.empty());
  mockgpu::suppressions known = request.suppressions;
  std::vector<setting> settings;
  for (std::string const& schedule : request.schedules)
    settings.push_back({schedule, request.fault});
  program_report report = run_settings(request, settings, known);
  if (request.twice) {
    program_report const second = run_settings(request, settings, known);
    for (std::size_t i = 0; i < report.runs.size(); ++i)
      require_agreement(report.runs[i].result, second.runs[i].result);
    report.notes.push_back(fmt::format("{} runs were made twice", report.runs.size()));
  }
  for (std::string const& line : known.unused()) report.notes.push_back(line);
  return report;
}

program_report sweep_program(run_request const& request) {
  ASSAY_ASSERT(!request.command.empty() && !request.schedules.empty() && request.fault.empty());
  mockgpu::suppressions known = request.suppressions;
  std::string const& schedule = request.schedules.front();
  program_report report = run_settings(request, {{schedule, {}}, {schedule, {}}}, known);
  program_run const plain = report.runs.front();
  if (plain.exit_code != 0)
    throw error(
        errc::invalid_input,
        fmt::format("the program fails without any injected failure: {}", plain.result.detail), {},
        request.command.front());
  bool const stable = report.runs[1].output == plain.output;
  if (!stable)
    report.notes.push_back("the program prints something else in each run: its output is not "
                           "compared");
  report.runs.pop_back();
  std::uint64_t const failures = std::min(plain.calls, most_failures);
  if (failures < plain.calls)
    report.notes.push_back(
        fmt::format("the first {} of {} calls were made to fail", failures, plain.calls));
  std::vector<setting> settings;
  for (std::uint64_t call = 1; call <= failures; ++call)
    settings.push_back({schedule, fmt::format("any@{}", call)});
  program_report failing = run_settings(request, settings, known);
  std::size_t not_reached = 0;
  for (program_run& run : failing.runs) {
    judge_failure(run, plain, stable);
    not_reached += run.failed_call.empty() ? 1 : 0;
    report.runs.push_back(std::move(run));
  }
  if (not_reached != 0)
    report.notes.push_back(
        fmt::format("{} of {} failures came to no call: the program does not make the same calls "
                    "in each run",
                    not_reached, failures));
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
  std::size_t width = std::string_view("run").size();
  for (program_run const& run : report.runs) width = std::max(width, run.result.name.size());
  std::string text = fmt::format("{:<{}}  {:<13}  {:>10}  {:>10}\n", "run", width, "outcome",
                                 "operations", "accesses");
  for (program_run const& run : report.runs) {
    std::string const outcome = table_text(run.result.outcome, run.result.findings);
    text += fmt::format("{:<{}}  {:<13}  {:>10}  {:>10}\n", run.result.name, width, outcome,
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
    for (check_finding const& finding : run.result.findings)
      findings.push_back(json::parse(whole_json(finding)));
    operations += run.result.operations;
    accesses += run.result.accesses;
    json entry{{"schedule", run.schedule},
               {"outcome", name(run.result.outcome)},
               {"findings", std::move(findings)},
               {"calls", run.calls},
               {"operations", run.result.operations},
               {"accesses", run.result.accesses},
               {"seconds", run.result.seconds},
               {"replay", run.result.replay}};
    if (run.orders != 0) entry["orders"] = run.orders;
    if (!run.fault.empty()) entry["fault"] = run.fault;
    if (!run.failed_call.empty()) entry["failed_call"] = run.failed_call;
    if (run.result.outputs != "not compared") entry["outputs"] = run.result.outputs;
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
