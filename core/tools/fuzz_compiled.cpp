#include "fuzz_compiled.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "toolchains.hpp"

namespace assay::tool {
namespace {

using fuzz::axis;
using fuzz::choice;

toolchain const& toolchain_for(target target) {
  static std::map<assay::target, toolchain> known; // asking the compilers takes longer than a case
  auto found = known.find(target);
  if (found == known.end())
    found = known.emplace(target, toolchain_of(run_backend::mock, target)).first;
  return found->second;
}

check_cell cell_of(choice const& c, std::uint64_t draw) {
  check_cell cell;
  cell.settings = settings_of(c);
  if (cell.settings.own_streams > 0)
    cell.stream = {stream_kind_of_run::own, cell.settings.own_streams};
  else if (c[axis::stream] != "default")
    cell.stream = {stream_kind_of_run::external, 0};
  cell.blocking_stream = c[axis::stream] == "blocking";
  cell.workspace = c[axis::workspace] == "exact" ? workspace_size::exact : workspace_size::larger;
  cell.schedule = parse_schedule(schedule_of(c, draw));
  cell.dialect = std::string(c[axis::dialect]);
  cell.depth = check_depth::threads;
  return cell;
}

/// The call that fails, of those that the program makes.
std::string fault_of(choice const& c, check_run const& plain, std::uint64_t draw) {
  std::uint64_t count = 0;
  for (auto const& [first, last] : plain.program_calls) count += last - first + 1;
  if (count == 0) return {};
  std::uint64_t number = draw % count;
  for (auto const& [first, last] : plain.program_calls) {
    if (number <= last - first) return fmt::format("{}@{}", c[axis::fault], first + number);
    number -= last - first + 1;
  }
  return {};
}

case_outcome outcome_of(check_run const& run) {
  case_outcome o;
  o.operations = run.operations;
  o.accesses = run.accesses;
  std::string const when = run.cell.fault.empty() ? "" : " after a failure";
  auto const is = [&](std::string what, std::string text) {
    o.what = what + when;
    o.group = fmt::format("compiled: {}{}", what, when);
    o.text = std::move(text);
  };
  switch (run.outcome) {
  case outcome::holds:
    if (run.accesses == 0 && run.operations != 0 && run.cell.fault.empty())
      is("nothing was checked", "");
    break;
  case outcome::not_applicable:
    o.what = "not applicable";
    break;
  case outcome::partial:
    is("code without hooks", run.detail);
    break;
  case outcome::findings: {
    auto const first = std::ranges::find_if(run.findings, counts);
    is("findings", "");
    o.group = fmt::format("compiled: {}{}", first->kind, when);
    for (check_finding const& each : run.findings)
      if (counts(each)) o.text += each.text + "\n";
    break;
  }
  case outcome::wrong_results:
    is("wrong results", run.outputs);
    break;
  case outcome::crash:
  case outcome::timeout:
    is(std::string(name(run.outcome)), run.detail);
    // What was found before the end says more.
    for (check_finding const& each : run.findings) o.text += "\n" + each.text;
    break;
  }
  if (!run.failed_call.empty()) o.text = fmt::format("{} failed\n{}", run.failed_call, o.text);
  return o;
}

} // namespace

choice compiled_choice(choice c, choice const& library) {
  auto const take = [&](axis a) {
    c.values[static_cast<std::size_t>(a)] = library.values[static_cast<std::size_t>(a)];
  };
  for (axis const a : {axis::mode, axis::layout, axis::call}) take(a);
  bool const has_own = library[axis::stream].starts_with("own:");
  if (has_own || c[axis::stream].starts_with("own:")) take(axis::stream);
  if (c[axis::stream] == "own:as-needed") set(c, axis::stream, "own:3");
  bool const is_hip = library[axis::dialect].starts_with("hip");
  if (is_hip != c[axis::dialect].starts_with("hip")) take(axis::dialect);
  if (c[axis::workspace] == "shifted") set(c, axis::workspace, "larger");
  if (c[axis::fault] != "none") set(c, axis::calls, "1"); // a failure is judged by one call
  return normalised(c);
}

case_outcome run_compiled_case(fuzz_point const& p, std::filesystem::path const& cache) {
  check_request request;
  request.program = p.file;
  request.set = p.set;
  request.seed = p.content_seed;
  request.plant = p.plant;
  request.jobs = 1;
  request.time_limit = std::chrono::seconds(30);
  request.cache = cache;
  request.cell_command = cell_command(run_backend::mock);
  request.toolchain_for = toolchain_for;
  request.calls = p.choice[axis::calls] == "2" ? 2 : 1;
  request.only = cell_of(p.choice, p.draw);
  check_run const plain = check(request).runs.front();
  case_outcome outcome = outcome_of(plain);
  if (outcome.what != "holds" || p.choice[axis::fault] == "none") return outcome;
  request.only->fault = fault_of(p.choice, plain, p.draw);
  if (request.only->fault.empty()) {
    outcome.what = "not applicable";
    return outcome;
  }
  request.sweep = true;
  return outcome_of(check(request).runs.back());
}

} // namespace assay::tool
