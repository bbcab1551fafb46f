#include "commands.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "check/compute_sanitizer.hpp"
#include "dace_toolchain.hpp"
#include "finding_json.hpp"
#include "mock_backend.hpp"
#include "replay_token.hpp"
#include "report_target.hpp"
#include "toolchains.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string const& rule) { throw error(errc::invalid_input, rule); }

/// Replaces `values` by the comma-separated list, or by `all`.
template <typename Value>
void read_list(std::string const& text, std::vector<Value>& values, std::vector<Value> const& all,
               std::function<Value(std::string_view)> const& parse) {
  if (text.empty()) return;
  if (text == "all") {
    values = all;
    return;
  }
  values.clear();
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find(',', at), text.size());
    values.push_back(parse(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
}

std::string parse_dialect(std::string_view text) {
  for (std::string_view known : {"cuda-13", "hip-6", "hip-7"})
    if (text == known) return std::string(text);
  fail(fmt::format("unknown dialect '{}' (one of cuda-13, hip-6, hip-7)", text));
}

check_matrix read_matrix(check_options const& options) {
  check_matrix matrix;
  check_matrix const defaults;
  read_list<memory_mode>(options.modes, matrix.modes, defaults.modes, parse_memory_mode);
  read_list<target>(options.targets, matrix.targets, {target::cuda, target::hip, target::cpu},
                    parse_target);
  read_list<std::string>(options.dialects, matrix.dialects, {"cuda-13", "hip-6", "hip-7"},
                         parse_dialect);
  read_list<workspace_layout>(
      options.layouts, matrix.layouts,
      {workspace_layout::packed, workspace_layout::aligned, workspace_layout::reuse},
      parse_workspace_layout);
  read_list<run_stream>(options.streams, matrix.streams, defaults.streams, parse_run_stream);
  read_list<call_kind>(options.calls, matrix.calls, defaults.calls, parse_call_kind);
  read_list<workspace_size>(options.workspaces, matrix.workspaces,
                            {workspace_size::exact, workspace_size::larger, workspace_size::shared},
                            parse_workspace_size);
  auto const has = [](auto const& values, auto value) {
    return std::ranges::find(values, value) != values.end();
  };
  if (!has(matrix.workspaces, workspace_size::exact) && !has(matrix.modes, memory_mode::external))
    fail(fmt::format("--workspace {}: none of the memory modes has a workspace (external has)",
                     options.workspaces));
  if (options.devices < 1 || options.devices > 8)
    fail(fmt::format("--devices {}: expected 1 to 8", options.devices));
  matrix.devices = static_cast<int>(options.devices);
  matrix.advice = options.advice;
  if (!options.schedules.empty() && options.schedules != "all") {
    std::vector<std::vector<run_schedule>> groups;
    read_list<std::vector<run_schedule>>(options.schedules, groups, {}, parse_schedules);
    matrix.schedules.clear();
    for (auto const& group : groups)
      matrix.schedules.insert(matrix.schedules.end(), group.begin(), group.end());
  }
  // A target without a dialect would silently run nothing.
  for (target each : matrix.targets)
    if (each != target::cpu && std::ranges::none_of(matrix.dialects, [&](auto const& d) {
          return d.starts_with(name(each));
        }))
      fail(fmt::format("--dialect {} has none for target {}", options.dialects, name(each)));
  return matrix;
}

/// The mock's settings mean nothing to a device, which has rules and an order of its own.
check_matrix read_device_matrix(check_options const& options, run_backend backend) {
  for (auto const& [option, is_given] :
       {std::pair{"--schedule", !options.schedules.empty()},
        std::pair{"--dialect", !options.dialects.empty()},
        std::pair{"--depth", !options.depth.empty()}, std::pair{"--fault", !options.fault.empty()},
        std::pair{"--apply-edge", !options.edges.empty()},
        std::pair{"--devices", options.devices != 1}, std::pair{"--advice", options.advice},
        std::pair{"--sweep", options.sweep}})
    if (is_given) fail(fmt::format("{} needs --backend mock", option));
  check_options rest = options;
  if (rest.targets.empty()) rest.targets = name(backend);
  check_matrix matrix = read_matrix(rest);
  for (target const each : matrix.targets)
    if (each != target::cpu && name(each) != name(backend))
      fail(fmt::format("target {} does not run on --backend {}", name(each), name(backend)));
  matrix.dialects = {std::string(name(backend))};
  matrix.schedules = {{schedule_kind::device, 1}};
  return matrix;
}

symbol_values read_set(std::vector<std::string> const& items, std::string_view option) {
  symbol_values values;
  for (std::string const& item : items) {
    std::size_t const equals = item.find('=');
    std::int64_t value = 0;
    char const* const end = item.data() + item.size();
    if (equals == 0 || equals == std::string::npos)
      fail(fmt::format("{} {}: not of the form NAME=INTEGER", option, item));
    auto const [stop, status] = std::from_chars(item.data() + equals + 1, end, value);
    if (status == std::errc::result_out_of_range)
      fail(fmt::format("{} {}: the integer does not fit 64 bits", option, item));
    if (status != std::errc() || stop != end)
      fail(fmt::format("{} {}: not of the form NAME=INTEGER", option, item));
    values[item.substr(0, equals)] = value;
  }
  return values;
}

fs::path default_cache() {
  if (char const* const folder = std::getenv("XDG_CACHE_HOME");
      folder != nullptr && *folder != '\0')
    return fs::path(folder) / "assay";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "assay";
  return fs::temp_directory_path() / "assay-cache";
}

/// One line that changes on a terminal; a line for the start of each phase elsewhere.
class progress_line {
public:
  explicit progress_line(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
  progress_line(progress_line const&) = delete;
  progress_line& operator=(progress_line const&) = delete;
  ~progress_line() {
    if (open_) std::fputs("\r\x1b[K", stderr);
  }
  void show(std::string_view phase, std::size_t done, std::size_t total) {
    if (quiet_) return;
    std::string_view const what = phase == "building" ? "libraries" : "runs";
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K{} {}/{} {}", phase, done, total, what);
      std::fflush(stderr);
      open_ = true;
    } else if (done == 0) {
      fmt::print(stderr, "{} {} {}\n", phase, total, what);
    }
  }

private:
  bool quiet_, terminal_, open_ = false;
};

} // namespace

namespace {

check_request request_of(check_options const& options) {
  check_format(options.format);
  if (options.timeout_seconds <= 0)
    fail(fmt::format("--timeout {}: not above 0", options.timeout_seconds));
  if (options.memory_mib == 0) fail("--memory 0: not above 0");
  check_request request;
  request.program = options.program;
  request.case_file = options.case_file;
  request.set = read_set(options.set, "--set");
  request.set_again = read_set(options.set_again, "--set2");
  request.calls = options.call_count != 0 ? options.call_count : options.set_again.empty() ? 1 : 2;
  if (request.calls == 1 && !options.set_again.empty())
    fail("--set2 is for the second call: --calls 1 makes none");
  if (request.calls > 1 && options.sweep) fail("--sweep and --calls exclude each other");
  request.seed = options.seed;
  run_backend const backend = parse_run_backend(options.backend);
  request.matrix =
      backend == run_backend::mock ? read_matrix(options) : read_device_matrix(options, backend);
  request.plant = parse_plant(options.plant);
  request.extra_edges = options.edges;
  check_fault(options.fault);
  request.fault = options.fault;
  request.sweep = options.sweep;
  request.twice = options.twice;
  if (options.depth == "threads")
    request.depth = check_depth::threads;
  else if (options.depth == "ops")
    request.depth = check_depth::ops;
  else if (!options.depth.empty())
    fail(fmt::format("unknown depth '{}' (one of ops, threads)", options.depth));
  else if (backend != run_backend::mock)
    request.depth = check_depth::ops;
  request.jobs = options.jobs != 0              ? options.jobs
                 : backend != run_backend::mock ? 1 // runs share the device
                                                : std::max(1u, std::thread::hardware_concurrency());
  request.time_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000));
  request.memory_limit_bytes = options.memory_mib << 20;
  request.cache = options.cache.empty() ? default_cache() : options.cache;
  if (!options.sanitizer.empty()) {
    if (backend != run_backend::cuda) fail("--sanitizer needs --backend cuda");
    request.device_wrapper = sanitizer_command(options.sanitizer, "compute-sanitizer");
    request.device_wrapper.front() = compute_sanitizer();
  }
  request.cell_command = cell_command(backend);
  request.toolchain_for = [backend](target target) { return toolchain_of(backend, target); };
  request.dace_toolchain_for = [backend, given = options.dace_include](target target) {
    return dace_toolchain(toolchain_of(backend, target), target, dace_include(given));
  };
  return request;
}

/// Everything that makes the run, so that the token needs nothing beside it.
std::string token_of(check_request const& request, check_options const& options,
                     check_cell const& cell) {
  replay_token token{"check", {}};
  token.add("program", request.program.string());
  token.add("case", request.case_file.string());
  for (auto const& [name, value] : request.set) token.add("set", fmt::format("{}={}", name, value));
  if (request.calls != 1) token.add("calls", std::to_string(request.calls));
  for (auto const& [name, value] : request.set_again)
    token.add("set2", fmt::format("{}={}", name, value));
  token.add("dace-include", options.dace_include.string());
  if (request.seed != 1) token.add("seed", std::to_string(request.seed));
  if (cell.schedule.kind == schedule_kind::device)
    token.add("backend", name(cell.settings.target)); // a device's target has its name
  token.add("sanitizer", options.sanitizer);
  token.add("mode", name(cell.settings.mode));
  token.add("target", name(cell.settings.target));
  token.add("dialect", cell.dialect);
  token.add("layout", name(cell.settings.layout));
  token.add("stream", to_text(cell.stream));
  if (cell.blocking_stream) token.add("blocking", "1");
  token.add("call", name(cell.settings.call));
  token.add("workspace", name(cell.workspace));
  token.add("schedule", to_text(cell.schedule));
  if (request.plant != plant::none) token.add("plant", name(request.plant));
  for (std::string const& edge : request.extra_edges) token.add("edge", edge);
  if (cell.depth == check_depth::threads) token.add("depth", name(cell.depth));
  token.add("fault", cell.fault);
  if (cell.devices != 1) token.add("devices", std::to_string(cell.devices));
  if (cell.advice) token.add("advice", "1");
  if (request.sweep && !cell.fault.empty()) token.add("sweep", "1");
  return to_text(token);
}

check_cell cell_of(replay_token const& token) {
  for (char const* member : {"mode", "target", "layout", "call", "stream", "workspace"})
    if (token.get(member).empty())
      fail(fmt::format("the replay token has no '{}': it is not whole", member));
  check_cell cell;
  cell.settings.mode = parse_memory_mode(token.get("mode"));
  cell.settings.target = parse_target(token.get("target"));
  cell.settings.layout = parse_workspace_layout(token.get("layout"));
  cell.settings.call = parse_call_kind(token.get("call"));
  cell.stream = parse_run_stream(token.get("stream"));
  cell.settings.own_streams = cell.stream.count;
  cell.blocking_stream = token.get("blocking") == "1";
  cell.workspace = parse_workspace_size(token.get("workspace"));
  if (std::string const backend = token.get("backend"); !backend.empty()) {
    cell.schedule.kind = schedule_kind::device;
    cell.dialect = backend;
  } else {
    cell.schedule = parse_schedule(token.get("schedule"));
    cell.dialect = parse_dialect(token.get("dialect"));
  }
  cell.depth = token.get("depth") == "threads" ? check_depth::threads : check_depth::ops;
  cell.fault = token.get("fault");
  return cell;
}

int check_and_report(check_request request, check_options const& options) {
  mockgpu::suppressions known = read_suppressions(options.suppressions);
  request.suppress = [&](check_finding const& finding) -> std::string {
    std::optional<mockgpu::finding> const whole = parse_finding(finding.json);
    mockgpu::suppression const* const entry = whole ? known.match(*whole) : nullptr;
    return entry != nullptr ? entry->reason : "";
  };
  // A replay gives the same addresses too, where the system lets us ask for that.
  personality(ADDR_NO_RANDOMIZE);
  report_target output(options.output);
  // Before anything is built.
  std::string const device = describe_device(parse_run_backend(options.backend));
  check_report report = [&] {
    progress_line line(options.quiet);
    request.progress = [&](auto phase, auto done, auto total) { line.show(phase, done, total); };
    return check(request);
  }();
  for (std::string const& line : known.unused()) report.notes.push_back(line);
  if (!device.empty())
    report.notes.push_back(fmt::format(
        "ran on {} ({}{}): results were compared, no order was checked", device, options.backend,
        options.sanitizer.empty() ? "" : ", under compute-sanitizer's " + options.sanitizer));
  for (check_run& run : report.runs) {
    // One order of an exhaustive schedule repeats what it showed.
    auto const of_order = [&](std::string const& order) {
      check_cell cell = run.cell;
      if (cell.schedule.kind == schedule_kind::exhaustive && !order.empty())
        cell.schedule = parse_schedule("replay:" + order);
      return token_of(request, options, cell);
    };
    run.replay = of_order(run.order);
    if (run.cell.schedule.kind == schedule_kind::exhaustive)
      for (check_finding& finding : run.findings) finding.replay = of_order(finding.order);
  }
  output.write(options.format == "json"    ? to_json(report)
               : options.format == "junit" ? to_junit(judgement_of(report))
               : options.format == "sarif" ? to_sarif(judgement_of(report))
                                           : to_text(report));
  return exit_code(report);
}

} // namespace

int run_check(check_options const& options) {
  if (options.sweep && !options.fault.empty())
    fail("--sweep and --fault exclude each other: a sweep makes its own failures");
  check_request request = request_of(options);
  if (options.sweep && request.matrix.schedules.front().kind == schedule_kind::exhaustive)
    fail("--sweep fails calls in one order each: the first schedule cannot be exhaustive");
  return check_and_report(std::move(request), options);
}

int replay_check(replay_token const& token, check_options options) {
  options.program = token.get("program");
  options.case_file = token.get("case");
  options.backend = token.get("backend", "mock");
  options.sanitizer = token.get("sanitizer");
  options.set = token.all("set");
  options.set_again = token.all("set2");
  options.plant = token.get("plant", "none");
  options.edges = token.all("edge");
  auto const read_number = [&](char const* member, auto& into) {
    std::string const text = token.get(member);
    if (text.empty()) return;
    auto const [stop, status] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (status != std::errc() || stop != text.data() + text.size())
      fail(fmt::format("'{}' in a replay token is no {}", text, member));
  };
  read_number("seed", options.seed);
  read_number("calls", options.call_count);
  read_number("devices", options.devices);
  options.dace_include = token.get("dace-include");
  check_request request = request_of(options);
  request.only = cell_of(token);
  request.only->devices = request.matrix.devices;
  request.only->advice = token.get("advice") == "1";
  request.sweep = token.get("sweep") == "1";
  return check_and_report(std::move(request), options);
}

int run_cell_command() {
  // The cell must not outlive the check that started it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string const instruction(std::istreambuf_iterator<char>(std::cin), {});
  std::unique_ptr<check_backend> const backend = make_mock_backend();
  return run_cell(instruction, *backend, /*descriptor=*/3);
}

} // namespace assay::tool
