#pragma once
/// \file The matrix of runs, each run in a process of its own, and the verdict over all of them.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/build.hpp"
#include "assay/expression.hpp"
#include "assay/gpu_runtime.hpp"
#include "assay/plant.hpp"
#include "assay/results.hpp"
#include "assay/settings.hpp"

namespace assay {

/// Who runs next.
enum class schedule_kind : std::uint8_t {
  eager,
  lazy,
  random,
  pct,
  exhaustive, ///< every order that can make a difference
  replay,     ///< the one order that `run_schedule::token` names
  device,     ///< a real one decides
};
struct run_schedule {
  schedule_kind kind = schedule_kind::eager;
  std::uint64_t seed = 1;        ///< of random and pct
  unsigned depth = 0;            ///< of pct; 0: the backend's choice
  std::uint64_t most_orders = 0; ///< of exhaustive: more are an error; 0: the backend's choice
  std::string token{};           ///< of replay, as the backend writes it
};
/// "eager", "lazy", "random:3", "pct:3", "pct:3:2", "exhaustive", "exhaustive:500", "replay:TOKEN".
[[nodiscard]] std::string to_text(run_schedule const&);
/// The inverse. \throws error{invalid_input} quoting the text.
[[nodiscard]] run_schedule parse_schedule(std::string const&);
/// What the command line takes: "eager", "lazy", "random:N" or "pct:N[:DEPTH]" for the seeds 1 to
/// N, "exhaustive[:MOST_ORDERS]". \throws error{invalid_input} listing these.
[[nodiscard]] std::vector<run_schedule> parse_schedules(std::string_view);

enum class stream_kind_of_run : std::uint8_t {
  default_stream, ///< the caller passes handle 0
  external,       ///< the caller passes a stream of its own
  own,            ///< no override: `count` streams of the program
};
struct run_stream {
  stream_kind_of_run kind = stream_kind_of_run::default_stream;
  int count = 0;
  friend bool operator==(run_stream const&, run_stream const&) = default;
};
/// "default", "external", "own:3".
[[nodiscard]] std::string to_text(run_stream);
/// \throws error{invalid_input} listing the forms.
[[nodiscard]] run_stream parse_run_stream(std::string_view);

/// `shared`: exact, and a second instance of the program runs on the same slab in front of each
/// call, on the same stream.
enum class workspace_size : std::uint8_t { exact, larger, shared };
[[nodiscard]] std::string_view name(workspace_size) noexcept;
[[nodiscard]] workspace_size parse_workspace_size(std::string_view);

/// How far the checker looks: at orders between operations, or also between threads of a kernel.
enum class check_depth : std::uint8_t { ops, threads };
[[nodiscard]] std::string_view name(check_depth) noexcept;

/// What varies; a run for each combination. A dialect goes with the target of its name.
struct check_matrix {
  std::vector<memory_mode> modes{memory_mode::scoped, memory_mode::pool, memory_mode::persistent,
                                 memory_mode::external};
  std::vector<target> targets{target::cuda, target::hip};
  std::vector<run_stream> streams{{stream_kind_of_run::default_stream, 0},
                                  {stream_kind_of_run::external, 0}};
  std::vector<call_kind> calls{call_kind::async, call_kind::sync};
  std::vector<run_schedule> schedules{{schedule_kind::eager},     {schedule_kind::lazy},
                                      {schedule_kind::random, 1}, {schedule_kind::random, 2},
                                      {schedule_kind::random, 3}, {schedule_kind::random, 4}};
  std::vector<workspace_layout> layouts{workspace_layout::aligned};
  std::vector<workspace_size> workspaces{workspace_size::exact};
  std::vector<std::string> dialects{"cuda-13", "hip-7"};
  int devices = 1;     ///< that a program sees, 1 to 8
  bool advice = false; ///< report advice as well, which decides no verdict
};

/// One run.
struct check_cell {
  assay::settings settings;
  run_stream stream;
  bool blocking_stream = false; ///< of an external stream: with the legacy barrier or without
  run_schedule schedule;
  workspace_size workspace = workspace_size::exact;
  std::string dialect;
  check_depth depth = check_depth::ops;
  std::string fault{}; ///< a runtime call that fails, as the backend reads it, or empty
  int devices = 1;     ///< that the program sees
  bool advice = false;
};
/// In the matrix's order, without combinations that say nothing new (a cpu program has no streams
/// and one schedule; layouts and workspace sizes count in external mode only).
[[nodiscard]] std::vector<check_cell> cells_of(check_matrix const&);

/// Device allocations and releases that a program called for itself.
struct memory_calls {
  std::uint64_t allocations = 0, releases = 0;
};

struct check_run {
  check_cell cell;
  std::string library; ///< cache key
  assay::outcome outcome = outcome::holds;
  std::string outputs = "equal"; ///< or the first difference, or "not compared"
  std::string detail;            ///< how a crash or a timeout came about
  std::vector<check_finding> findings;
  std::uint64_t operations = 0, accesses = 0;
  double seconds = 0;
  std::string replay;       ///< the token that repeats the run, or empty
  std::uint64_t orders = 0; ///< of an exhaustive schedule: all that can make a difference
  std::string order;        ///< its first order with wrong results or a failure, or empty
  std::string failed_call;  ///< the first that the cell's fault made fail, or empty
  /// Runtime calls that the program made: first and last, of each of its functions that made any.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> program_calls;
  memory_calls in_init, in_call, in_exit;
  std::string failure; ///< the program's own report of a failed call, or empty
  std::string again;   ///< what came of using the program again after the failure of a swept run
};

struct check_report {
  std::string program; ///< file
  std::string program_name;
  assay::outcome verdict = outcome::holds;
  assay::plant plant = plant::none;
  std::vector<check_run> runs;
  std::size_t libraries_built = 0, libraries_cached = 0;
  double build_seconds = 0, run_seconds = 0;
  std::vector<std::string> notes; ///< for people: one line each
};

struct check_request {
  std::filesystem::path program;   ///< an SDFG, or a build folder of DaCe's
  std::filesystem::path case_file; ///< empty: arguments are made up by `seed`
  symbol_values set;
  unsigned calls = 1;      ///< of the program in each run, one behind the other
  symbol_values set_again; ///< symbols that have other values from the second call on
  std::uint64_t seed = 1;
  check_matrix matrix;
  std::optional<check_cell> only; ///< one run instead of the matrix
  std::string fault;              ///< of every cell of the matrix
  /// Each cell of the first schedule once as it is, then once for each error of `swept_errors` and
  /// each runtime call of the program, which fails with it. `fault` is empty, or that of `only`.
  bool sweep = false;
  bool twice = false; ///< make each run twice; runs that do not agree are crashes
  /// Of every cell; empty: `threads` in the first cell of each target, `ops` in the others, since
  /// races between threads of a kernel depend on nothing else that varies.
  std::optional<check_depth> depth;
  assay::plant plant = plant::none;
  std::vector<std::string> extra_edges;
  unsigned jobs = 2;
  std::chrono::milliseconds time_limit{60'000};              ///< of one run
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30; ///< resident, of one run
  std::filesystem::path cache;
  /// The command that runs a cell: started with the cell on standard input, results on
  /// descriptor 3.
  std::vector<std::string> cell_command;
  std::vector<std::string> device_wrapper; ///< in front of it where the cell runs on a device
  std::function<toolchain(target)> toolchain_for;
  std::function<toolchain(target)> dace_toolchain_for; ///< for the code of build folders
  /// Changes the code of each library that runs under the checker. May be empty.
  std::function<void(std::vector<generated_file>&)> edit_code;
  std::vector<std::string> environment; ///< of the cells' processes: NAME=VALUE
  /// Why a finding does not count, or empty. Called from one thread; may be empty itself.
  std::function<std::string(check_finding const&)> suppress;
  /// Called from one thread at a time: phase ("building", "running"), done, total. May be empty.
  std::function<void(std::string_view, std::size_t, std::size_t)> progress;
};

/// Reads, transforms, builds and runs. What a program does wrong is in the report.
/// \throws error for bad input, an unsupported construct, or an environment that cannot build or
/// run.
[[nodiscard]] check_report check(check_request const&);

/// 0 holds; 1 the program is at fault; 2 the plant found no place.
[[nodiscard]] int exit_code(check_report const&) noexcept;
/// A table over the matrix, the findings, and the verdict as the last line. Ends with a newline.
[[nodiscard]] std::string to_text(check_report const&);
/// Source of the members: docs/formats.md.
[[nodiscard]] std::string to_json(check_report const&);
[[nodiscard]] judged_run judged(check_run const&);
/// The runs with names of their own, for the formats that know nothing of a matrix.
[[nodiscard]] judgement judgement_of(check_report const&);

/// Where a cell runs: a GPU runtime under a checker.
class check_backend {
public:
  virtual ~check_backend() = default;
  /// What the backend tells while the cell runs.
  struct listener {
    /// On the thread that makes the finding, at once.
    std::function<void(check_finding const&)> on_finding;
    /// Of an exhaustive schedule, whose orders run in processes of their own: how many there were,
    /// and why some were not run, or nothing. In the process that does not return from its first
    /// call.
    std::function<void(std::uint64_t orders, std::string const& problem)> on_orders;
  };
  /// Before the first call of the runtime.
  virtual void start(check_cell const&, std::vector<std::string> const& extra_edges, listener) = 0;
  [[nodiscard]] virtual gpu_runtime& gpu() = 0;
  [[nodiscard]] virtual observer& watcher() = 0;
  struct call_counts {
    std::uint64_t calls = 0; ///< of the runtime
    memory_calls memory;
  };
  /// So far, the harness's included.
  [[nodiscard]] virtual call_counts counts() const = 0;
  struct totals {
    std::uint64_t operations = 0, accesses = 0;
    std::string order;                 ///< what repeats this run
    std::string failed_call;           ///< the first that the cell's fault made fail, or empty
    std::vector<std::string> unhooked; ///< code that the checker did not see
  };
  /// Runs what is still queued and reports what was not freed.
  [[nodiscard]] virtual totals finish() = 0;
};

/// The child's side of `check`: runs one cell and writes its findings and result, one JSON object a
/// line, to the descriptor. \returns the exit code of the process. Reports every error through the
/// descriptor.
[[nodiscard]] int run_cell(std::string const& instruction, check_backend&, int descriptor);

} // namespace assay
