#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/check.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using json = nlohmann::json;

/// "random:3" belongs to the column "random".
std::string column_of(run_schedule const& schedule) {
  std::string const text = to_text(schedule);
  return text.substr(0, text.find(':'));
}

/// Equal texts once, with their number: "ok", "3 ok, 1 timeout".
std::string cells_text(std::vector<check_run const*> const& runs) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (check_run const* run : runs) {
    std::string const text = table_text(run->outcome, run->findings);
    auto const found = std::ranges::find(counts, text, &std::pair<std::string, std::size_t>::first);
    if (found == counts.end())
      counts.emplace_back(text, 1);
    else
      ++found->second;
  }
  if (counts.size() == 1) return counts.front().first;
  std::string all;
  for (auto const& [text, count] : counts)
    all += fmt::format("{}{}x {}", all.empty() ? "" : ", ", count, text);
  return all;
}

std::vector<std::string> row_names(check_cell const& cell) {
  return {std::string(name(cell.settings.mode)),
          std::string(name(cell.settings.target)),
          cell.dialect,
          to_text(cell.stream),
          std::string(name(cell.settings.call)),
          std::string(name(cell.settings.layout)),
          std::string(name(cell.workspace))};
}

std::string run_name(check_run const& run) {
  check_cell const& cell = run.cell;
  std::string const fault =
      run.failed_call.empty()
          ? cell.fault
          : fmt::format("{} of {}", cell.fault.substr(0, cell.fault.find('@')), run.failed_call);
  return fmt::format("{} {} {}{} {} {}{}{}", name(cell.settings.mode), name(cell.settings.target),
                     to_text(cell.stream),
                     cell.stream.kind != stream_kind_of_run::external ? ""
                     : cell.blocking_stream                           ? " (blocking)"
                                                                      : " (non-blocking)",
                     name(cell.settings.call), to_text(cell.schedule), fault.empty() ? "" : ", ",
                     fault);
}

std::string table(check_report const& report) {
  std::vector<std::string> const titles{"mode", "target", "dialect",  "stream",
                                        "call", "layout", "workspace"};
  std::vector<std::string> columns; // of schedules
  std::map<std::string, std::size_t> seeds;
  std::vector<std::vector<std::string>> rows;
  std::map<std::vector<std::string>, std::map<std::string, std::vector<check_run const*>>> runs;
  for (check_run const& run : report.runs) {
    std::string const column = column_of(run.cell.schedule);
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    std::vector<std::string> row = row_names(run.cell);
    if (!runs.contains(row)) rows.push_back(row);
    auto& list = runs[row][column];
    list.push_back(&run);
    seeds[column] = std::max(seeds[column], list.size());
  }
  // A column that is the same in every row says nothing. The four that name a run always stand.
  std::vector<bool> shown(titles.size());
  for (std::size_t c = 0; c < titles.size(); ++c) {
    bool const varies =
        std::ranges::any_of(rows, [&](auto const& row) { return row[c] != rows.front()[c]; });
    bool const follows_target =
        titles[c] == "dialect" && std::ranges::all_of(rows, [&](auto const& a) {
          return std::ranges::all_of(rows,
                                     [&](auto const& b) { return a[1] != b[1] || a[2] == b[2]; });
        });
    shown[c] = c < 2 || titles[c] == "stream" || titles[c] == "call" || (varies && !follows_target);
  }
  std::vector<std::vector<std::string>> lines(1);
  for (std::size_t c = 0; c < titles.size(); ++c)
    if (shown[c]) lines[0].push_back(titles[c]);
  for (std::string const& column : columns)
    lines[0].push_back(seeds[column] > 1 ? fmt::format("{} x{}", column, seeds[column]) : column);
  for (auto const& row : rows) {
    std::vector<std::string> line;
    for (std::size_t c = 0; c < titles.size(); ++c)
      if (shown[c]) line.push_back(row[c]);
    for (std::string const& column : columns) line.push_back(cells_text(runs[row][column]));
    lines.push_back(std::move(line));
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (auto const& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::string text;
  for (auto const& line : lines) {
    std::string printed;
    for (std::size_t c = 0; c < line.size(); ++c)
      printed += fmt::format("{:<{}}", line[c], widths[c] + 2);
    printed.erase(printed.find_last_not_of(' ') + 1);
    text += printed + '\n';
  }
  return text;
}

} // namespace

judged_run judged(check_run const& run) {
  return {run_name(run),  run.outcome,  run.outputs, run.detail, run.findings,
          run.operations, run.accesses, run.seconds, run.replay};
}

judgement judgement_of(check_report const& report) {
  judgement made{report.program, report.verdict, {}, report.notes};
  for (check_run const& run : report.runs) made.runs.push_back(judged(run));
  return made;
}

std::string to_text(check_report const& report) {
  judgement const all = judgement_of(report);
  std::string const verdict =
      report.verdict == outcome::not_applicable
          ? fmt::format("verdict: not applicable (plant {} finds no place in this program)",
                        name(report.plant))
          : verdict_line(all);
  std::size_t const deep = static_cast<std::size_t>(std::ranges::count(
      report.runs, check_depth::threads, [](check_run const& run) { return run.cell.depth; }));
  std::string depth;
  if (deep != 0)
    depth = fmt::format("\nraces between threads of a kernel looked for in {} of {} runs\n", deep,
                        report.runs.size());
  return table(report) + depth + details_text(all) + '\n' + verdict + '\n';
}

std::string to_json(check_report const& report) {
  json runs = json::array();
  std::uint64_t operations = 0, accesses = 0;
  for (check_run const& run : report.runs) {
    check_cell const& cell = run.cell;
    json findings = json::array();
    for (check_finding const& finding : run.findings)
      findings.push_back(json::parse(whole_json(finding)));
    operations += run.operations;
    accesses += run.accesses;
    json entry{{"mode", name(cell.settings.mode)},
               {"target", name(cell.settings.target)},
               {"dialect", cell.dialect},
               {"stream", to_text(cell.stream)},
               {"call", name(cell.settings.call)},
               {"layout", name(cell.settings.layout)},
               {"workspace", name(cell.workspace)},
               {"schedule", to_text(cell.schedule)},
               {"library", run.library},
               {"depth", name(cell.depth)},
               {"outcome", name(run.outcome)},
               {"outputs", run.outputs},
               {"findings", std::move(findings)},
               {"operations", run.operations},
               {"accesses", run.accesses}};
    auto const memory = [](memory_calls const& calls) {
      return json{{"allocations", calls.allocations}, {"releases", calls.releases}};
    };
    entry["memory_calls"] = {{"init", memory(run.in_init)},
                             {"call", memory(run.in_call)},
                             {"exit", memory(run.in_exit)}};
    if (cell.stream.kind == stream_kind_of_run::external)
      entry["blocking_stream"] = cell.blocking_stream;
    if (!run.detail.empty()) entry["detail"] = run.detail;
    if (!run.replay.empty()) entry["replay"] = run.replay;
    if (run.orders != 0) entry["orders"] = run.orders;
    if (!cell.fault.empty()) entry["fault"] = cell.fault;
    if (cell.devices != 1) entry["devices"] = cell.devices;
    if (cell.advice) entry["advice"] = true;
    if (!run.failed_call.empty()) entry["failed_call"] = run.failed_call;
    runs.push_back(std::move(entry));
  }
  json root{{"program", report.program},
            {"name", report.program_name},
            {"verdict", name(report.verdict)},
            {"plant", name(report.plant)},
            {"checked",
             {{"runs", report.runs.size()}, {"operations", operations}, {"accesses", accesses}}},
            {"libraries", {{"built", report.libraries_built}, {"cached", report.libraries_cached}}},
            {"build_seconds", report.build_seconds},
            {"run_seconds", report.run_seconds},
            {"notes", report.notes},
            {"runs", std::move(runs)}};
  return root.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace assay
