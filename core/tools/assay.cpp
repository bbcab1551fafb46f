#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "assay/error.hpp"
#include "commands.hpp"
#include "report_target.hpp"

namespace {

using namespace assay::tool;

constexpr char const* fault_help =
    "ERROR@WHICH: a runtime call that fails; ERROR of out-of-memory, invalid-value, "
    "launch-failure, sticky, any; WHICH a call's number, NAME, NAME:N or seed:S";
constexpr char const* schedules_help =
    "Of eager, lazy, random:N and pct:N[:DEPTH] (seeds 1 to N), exhaustive[:MOST_ORDERS]";
constexpr char const* advice_help =
    "Report advice as well: superfluous waits, and orders that nothing but a free gives";
constexpr char const* devices_help = "GPUs that the program sees, 1 to 8";
constexpr char const* twice_help =
    "Make each run twice: what the two come to must be the same, word for word";
constexpr char const* suppressions_help =
    "A file of findings that do not count (default: that of MOCKGPU_SUPPRESSIONS)";

void add_check(CLI::App& app, check_options& options) {
  CLI::App& command =
      *app.add_subcommand("check", "Run a program over a matrix of settings and give a verdict");
  command
      .add_option("PROGRAM", options.program,
                  "An SDFG (.sdfg or .sdfgz), or a build folder of DaCe's or GT4Py's")
      ->required();
  command.add_option("--case", options.case_file,
                     "Arguments and expected arrays; without it they are made up, "
                     "and all runs must agree with the cpu target");
  command.add_option("--set", options.set, "NAME=INTEGER: the value of a symbol")
      ->allow_extra_args(false);
  command
      .add_option("--calls", options.call_count, "Calls in each run (default: 1, with --set2 2)")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--set2", options.set_again,
                  "NAME=INTEGER: another value of a symbol from the second call on")
      ->allow_extra_args(false);
  command.add_option("--dace-include", options.dace_include,
                     "Folder of DaCe's runtime headers (default: those of python3's package)");
  command.add_option("--seed", options.seed, "Of every random choice")->capture_default_str();
  command
      .add_option("--backend", options.backend,
                  "mock, or a real device: cuda, hip (of this machine)")
      ->capture_default_str();
  command.add_option("--sanitizer", options.sanitizer,
                     "With --backend cuda: each run under this tool of compute-sanitizer "
                     "(memcheck, racecheck, initcheck, synccheck)");
  command.add_option("--mode", options.modes, "Of scoped, pool, persistent, external; or all");
  command.add_option("--target", options.targets, "Of cuda, hip, cpu; or all");
  command.add_option("--dialect", options.dialects, "Of cuda-13, hip-6, hip-7; or all");
  command.add_option("--layout", options.layouts, "Of packed, aligned, reuse; or all");
  command.add_option("--stream", options.streams, "Of default, external, own:N");
  command.add_option("--call", options.calls, "Of async, sync; or all");
  command.add_option("--schedule", options.schedules, schedules_help);
  command.add_option("--workspace", options.workspaces,
                     "Of exact, larger, shared (with a second instance of the program); or all");
  command.add_option("--devices", options.devices, devices_help)->capture_default_str();
  command.add_flag("--advice", options.advice, advice_help);
  command.add_option("--plant", options.plant, "A fault to plant before the build");
  command.add_option("--fault", options.fault, fault_help);
  command.add_flag("--sweep", options.sweep,
                   "Fail each runtime call of the program in turn, with each error, in the first "
                   "schedule, and report what it does not handle");
  command.add_flag("--verify-determinism", options.twice, twice_help);
  command.add_option("--depth", options.depth,
                     "ops, or threads: also races between threads of a kernel (default: threads in "
                     "one run for each target)");
  command
      .add_option("--apply-edge", options.edges,
                  "The missing edge of a finding (wait:3:7): as if the program had it")
      ->allow_extra_args(false);
  command.add_option("--format", options.format, "text, json, junit or sarif")
      ->capture_default_str();
  command.add_option("-o,--output", options.output,
                     "A file for the report instead of standard output");
  command
      .add_option("--jobs", options.jobs, "Processes at a time (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--timeout", options.timeout_seconds, "Seconds of one run")
      ->capture_default_str();
  command.add_option("--memory", options.memory_mib, "MiB of resident memory of one run")
      ->capture_default_str();
  command.add_option("--cache", options.cache,
                     "Folder of built libraries (default: ~/.cache/assay)");
  command.add_flag("--quiet", options.quiet, "No progress");
  command.add_option("--suppressions", options.suppressions, suppressions_help);
}

void add_report_options(CLI::App& command, run_options& options) {
  command.add_option("--format", options.format, "text, json, junit or sarif")
      ->capture_default_str();
  command.add_option("-o,--output", options.output,
                     "A file for the report instead of standard output");
  command.add_option("--timeout", options.timeout_seconds, "Seconds of one run")
      ->capture_default_str();
  command.add_option("--memory", options.memory_mib, "MiB of resident memory of one run")
      ->capture_default_str();
  command.add_flag("--quiet", options.quiet, "Leave the program's own output out");
  command.add_option("--suppressions", options.suppressions, suppressions_help);
}

void add_run(CLI::App& app, run_options& options) {
  CLI::App& command =
      *app.add_subcommand("run", "Run a program built by the drivers under the checker");
  command.prefix_command(); // what follows the program is the program's
  command.footer("assay run [OPTIONS] PROGRAM [ARGUMENTS]...");
  command.add_option("--schedule", options.schedules, schedules_help)->capture_default_str();
  command.add_option("--dialect", options.dialect, "cuda-13, hip-6 or hip-7");
  command.add_option("--devices", options.devices, devices_help)->capture_default_str();
  command.add_flag("--verify-determinism", options.twice, twice_help);
  command.add_option("--depth", options.depth,
                     "ops: orders between operations; threads: also between threads of a kernel");
  command.add_flag("--advice", options.advice, advice_help);
  command.add_option("--fault", options.fault, fault_help);
  command.add_flag("--sweep", options.sweep,
                   "Fail each runtime call of the program in turn, and report what it does not "
                   "handle");
  command
      .add_option("--apply-edge", options.edges,
                  "The missing edge of a finding (wait:3:7): as if the program had it")
      ->allow_extra_args(false);
  command
      .add_option("--jobs", options.jobs, "Processes at a time (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  add_report_options(command, options);
}

void add_replay(CLI::App& app, std::string& token, run_options& options) {
  CLI::App& command = *app.add_subcommand("replay", "Repeat the run that a report's token names");
  command.add_option("TOKEN", token, "As the report prints it: run,schedule=...")->required();
  command.prefix_command();
  command.footer("assay replay [OPTIONS] TOKEN [PROGRAM [ARGUMENTS]...]");
  add_report_options(command, options);
}

void add_generate(CLI::App& app, generate_options& options) {
  CLI::App& command =
      *app.add_subcommand("generate", "Write the generated code, in DaCe's folder layout");
  command.add_option("PROGRAM", options.program, "An SDFG: .sdfg or .sdfgz")->required();
  command.add_option("--mode", options.mode, "scoped, pool, persistent or external")
      ->capture_default_str();
  command.add_option("--target", options.target, "cuda, hip or cpu")->capture_default_str();
  command.add_option("--layout", options.layout, "packed, aligned or reuse")->capture_default_str();
  command.add_option("--stream", options.stream, "default, external or own:N")
      ->capture_default_str();
  command.add_option("--call", options.call, "async or sync")->capture_default_str();
  command.add_option("--plant", options.plant, "A fault to plant");
  command.add_option("-o,--output", options.output, "A folder, or - for standard output")
      ->required();
}

void add_transform(CLI::App& app, transform_options& options) {
  CLI::App& command = *app.add_subcommand(
      "transform", "Write the SDFG with a memory mode, stream and kind of call in it, for DaCe");
  command.add_option("PROGRAM", options.program, "An SDFG: .sdfg or .sdfgz")->required();
  command.add_option("--mode", options.mode, "scoped, pool, persistent or external")
      ->capture_default_str();
  command.add_option("--target", options.target, "cuda, hip or cpu")->capture_default_str();
  command.add_option("--stream", options.stream, "default, external or own:N")
      ->capture_default_str();
  command.add_option("--call", options.call, "async or sync")->capture_default_str();
  command.add_option("-o,--output", options.output, "A file, or - for standard output")->required();
}

/// The words that no option took: a program with its arguments.
std::vector<std::string> rest_of(CLI::App const& app, char const* command) {
  std::vector<std::string> words = app.get_subcommand(command)->remaining();
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  return words;
}

void add_size(CLI::App& app, size_options& options) {
  CLI::App& command = *app.add_subcommand(
      "size", "Print what workspace programs need, by formula and for given symbols");
  command.add_option("PROGRAM", options.programs, "SDFGs: .sdfg or .sdfgz")->required();
  command
      .add_option("--set", options.set,
                  "NAME=INTEGER[,INTEGER...]: the values of a symbol; all combinations are printed")
      ->allow_extra_args(false);
  command.add_option("--target", options.target, "cuda, hip or cpu")->capture_default_str();
  command.add_option("--format", options.format, "text or json")->capture_default_str();
}

void add_fuzz(CLI::App& app, fuzz_options& options, fuzz_merge_options& merge) {
  CLI::App& command = *app.add_subcommand(
      "fuzz", "Run random programs, and those given, under random settings, schedules and faults");
  command.add_option("PROGRAM", options.programs, "SDFGs: .sdfg or .sdfgz");
  command.add_option("--set", options.set, "NAME=INTEGER: the value of a symbol of PROGRAM")
      ->allow_extra_args(false);
  command.add_option("--time", options.time, "90s, 30m, 2h (default: 60s, without --cases)");
  command.add_option("--cases", options.cases, "Of all shards together");
  command.add_option("--seed", options.seed, "Of every random choice")->capture_default_str();
  command
      .add_option("--out", options.output,
                  "Folder of the results; a campaign that it holds goes on")
      ->capture_default_str();
  command.add_option("--shard", options.shard, "I/N: this part of the cases")
      ->capture_default_str();
  command
      .add_option("--compile-every", options.compile_every,
                  "Of so many programs one is compiled and run like by check; 0: none")
      ->capture_default_str();
  command.add_option("--plant", options.plant, "A fault to plant in every program");
  command.add_option("--jobs", options.jobs,
                     "Processes at a time (default: one for each processor)");
  command.add_flag("--quiet", options.quiet, "No progress");
  CLI::App& join = *command.add_subcommand("merge", "Join the results of shards");
  join.add_option("REPORT", merge.reports, "campaign.jsonl, or the folder that holds it")
      ->required();
  join.add_option("--output", merge.output, "A file for all of them");
}

/// `<file>: error: <message> (at <place>)`, on one line whatever the input holds.
int report(assay::error const& problem) {
  std::string line = fmt::format("{}: error: {}", problem.file().empty() ? "assay" : problem.file(),
                                 problem.what());
  if (!problem.place().empty()) line += fmt::format(" (at {})", problem.place());
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  std::fprintf(stderr, "%s\n", line.c_str());
  return static_cast<int>(problem.code());
}

/// The command comes first: without one, or with one that does not exist, the words behind it say
/// nothing.
void require_command(CLI::App const& app, int argc, char const* const* argv) {
  if (argc > 1 && *argv[1] == '-') return;
  std::string known;
  for (CLI::App const* each : app.get_subcommands(nullptr)) {
    if (argc > 1 && each->get_name() == argv[1]) return;
    if (!each->get_group().empty()) known += (known.empty() ? "" : ", ") + each->get_name();
  }
  throw assay::error(assay::errc::invalid_input,
                     argc > 1 ? fmt::format("unknown command '{}' (one of {})", argv[1], known)
                              : fmt::format("a command is needed (one of {})", known));
}

int run(int argc, char** argv) {
  CLI::App app("Verifies GPU programs generated from SDFGs, without a GPU", "assay");
  app.require_subcommand(1);
  check_options check;
  generate_options generate;
  run_options run, replay;
  std::string kind, token;
  add_check(app, check);
  add_generate(app, generate);
  add_run(app, run);
  add_replay(app, token, replay);
  transform_options transform;
  add_transform(app, transform);
  size_options size;
  add_size(app, size);
  fuzz_options fuzz;
  fuzz_merge_options merge;
  add_fuzz(app, fuzz, merge);
  app.add_subcommand("explain", "Say what a kind of finding means")
      ->add_option("KIND", kind, "Default: a list");
  app.add_subcommand("run-cell")->group(""); // hidden
  require_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem); // --help
    throw assay::error(assay::errc::invalid_input, problem.what());
  }
  if (app.got_subcommand("check")) return run_check(check);
  if (app.got_subcommand("generate")) return run_generate(generate);
  if (app.got_subcommand("transform")) return run_transform(transform);
  if (app.got_subcommand("run")) {
    run.command = rest_of(app, "run");
    return run_run(run);
  }
  if (app.got_subcommand("replay")) {
    replay.command = rest_of(app, "replay");
    return run_replay(token, replay);
  }
  if (app.got_subcommand("size")) return run_size(size);
  if (app.got_subcommand("fuzz"))
    return app.get_subcommand("fuzz")->got_subcommand("merge") ? run_fuzz_merge(merge)
                                                               : run_fuzz(fuzz);
  if (app.got_subcommand("explain")) return run_explain(kind);
  return run_cell_command();
}

} // namespace

int main(int argc, char** argv) {
  try {
    int const exit_code = run(argc, argv);
    finish_standard_output();
    return exit_code;
  } catch (assay::error const& problem) {
    return report(problem);
  } catch (std::exception const& problem) {
    return report(assay::error(assay::errc::environment, problem.what()));
  }
}
