#include <algorithm>
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "commands.hpp"
#include "finding_json.hpp"
#include "program_run.hpp"
#include "fuzz_replay.hpp"
#include "replay_token.hpp"
#include "report_target.hpp"

namespace assay::tool {
namespace {

[[noreturn]] void fail(std::string const& rule) { throw error(errc::invalid_input, rule); }

int parse_number(std::string_view text) {
  int value = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() ? value : 0;
}

/// "eager,random:2" as the mock takes them one by one: eager, random:1, random:2.
std::vector<std::string> expand_schedules(std::string const& list) {
  std::vector<std::string> schedules;
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t const end = std::min(list.find(',', at), list.size());
    for (run_schedule const& one : parse_schedules(std::string_view(list).substr(at, end - at)))
      schedules.push_back(to_text(one));
    at = end + 1;
  }
  return schedules;
}

run_request request_of(run_options const& options) {
  if (options.command.empty()) fail("PROGRAM is required");
  if (!options.dialect.empty() && options.dialect != "cuda-13" && options.dialect != "hip-6" &&
      options.dialect != "hip-7")
    fail(fmt::format("unknown dialect '{}' (one of cuda-13, hip-6, hip-7)", options.dialect));
  if (!options.depth.empty() && options.depth != "ops" && options.depth != "threads")
    fail(fmt::format("unknown depth '{}' (one of ops, threads)", options.depth));
  if (options.devices < 1 || options.devices > 8)
    fail(fmt::format("--devices {}: expected 1 to 8", options.devices));
  if (options.timeout_seconds <= 0)
    fail(fmt::format("--timeout {}: not above 0", options.timeout_seconds));
  if (options.memory_mib == 0) fail("--memory 0: not above 0");
  run_request request;
  request.command = options.command;
  request.dialect = options.dialect;
  request.depth = options.depth;
  request.devices = options.devices;
  request.advice = options.advice;
  request.twice = options.twice;
  check_fault(options.fault);
  request.fault = options.fault;
  request.edges = options.edges;
  request.suppressions = read_suppressions(options.suppressions);
  request.jobs =
      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  request.time_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000));
  request.memory_limit_bytes = options.memory_mib << 20;
  return request;
}

int run_and_report(run_request const& request, run_options const& options) {
  check_format(options.format);
  report_target output(options.output);
  program_report const report = options.sweep ? sweep_program(request) : run_program(request);
  // What the program prints is not part of the report, and the same in most runs: once.
  if (!options.quiet) {
    std::fputs(report.runs.front().output.c_str(), stderr);
    std::fputs(report.runs.front().messages.c_str(), stderr);
  }
  judgement const all = judgement_of(request, report);
  output.write(options.format == "json"    ? to_json(request, report)
               : options.format == "junit" ? to_junit(all)
               : options.format == "sarif" ? to_sarif(all)
                                           : to_text(request, report));
  return all.verdict == outcome::holds || all.verdict == outcome::partial ? 0 : 1;
}

} // namespace

int run_run(run_options const& options) {
  if (options.sweep && !options.fault.empty())
    fail("--sweep and --fault exclude each other: a sweep makes its own failures");
  run_request request = request_of(options);
  request.schedules = expand_schedules(options.schedules);
  return run_and_report(request, options);
}

int run_replay(std::string const& text, run_options options) {
  replay_token const token = parse_replay_token(text);
  if (token.command == "fuzz") {
    if (!options.command.empty())
      fail(fmt::format("'{}': a token of fuzz names its program itself", options.command.front()));
    return replay_fuzz(token);
  }
  if (token.command == "check") {
    check_options check;
    check.output = options.output;
    check.format = options.format;
    check.timeout_seconds = options.timeout_seconds;
    check.memory_mib = options.memory_mib;
    check.quiet = options.quiet;
    check.suppressions = options.suppressions;
    if (!options.command.empty())
      fail(fmt::format("'{}': a token of check names its program itself", options.command.front()));
    return replay_check(token, check);
  }
  if (options.command.empty()) {
    options.command = token.all("program");
    for (std::string& argument : token.all("argument"))
      options.command.push_back(std::move(argument));
  }
  options.dialect = token.get("dialect");
  options.depth = token.get("depth");
  options.devices = parse_number(token.get("devices", "1"));
  options.advice = token.get("advice") == "1";
  options.fault = token.get("fault");
  options.edges = token.all("edge");
  run_request request = request_of(options);
  request.schedules = {token.get("schedule", "eager")};
  return run_and_report(request, options);
}

} // namespace assay::tool
