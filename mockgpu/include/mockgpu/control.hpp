#pragma once
/// \file How a tool drives the mock: options before the first call, findings as they happen, and a
/// closing check. Everything is per process: a mocked GPU program is a process.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mockgpu/findings.hpp"

namespace mockgpu {

/// How much is checked: orders between operations, or also between the threads of each kernel.
enum class checking_depth : std::uint8_t { operations, threads };

/// Who runs next, where the vendors leave it open.
enum class schedule_kind : std::uint8_t {
  eager,      ///< operations run when they are queued
  lazy,       ///< operations run when something needs them
  random,     ///< by seed
  pct,        ///< by random priorities that change at few places (Burckhardt et al., 2010)
  exhaustive, ///< every order that can make a difference, one process each
  replay      ///< as `options::token` says
};

struct options {
  std::string dialect = "cuda-13"; ///< "cuda-13", "hip-6" or "hip-7"
  schedule_kind schedule = schedule_kind::eager;
  std::uint64_t seed = 1;
  unsigned depth = 3;                ///< of pct: orders that a fault takes to show, at least 1
  std::uint64_t max_orders = 100000; ///< of exhaustive: more orders than this are an error
  std::string token;                 ///< of replay
  int device_count = 1;
  checking_depth checked = checking_depth::operations;
  std::vector<missing_edge> extra_edges; ///< orders to add to the program under test
  std::string fault;                     ///< a call to fail (src/device/faults.hpp), or empty
  bool advice = false;                   ///< report advice (implicit-free-order, superfluous-wait)
  /// A kernel ends with the finding kernel-fault when one of its threads makes so many loads and
  /// stores while no thread gets any further, or takes so many seconds of processor time without
  /// any.
  std::uint64_t step_limit = std::uint64_t{1} << 27;
  unsigned kernel_seconds = 5;
};

/// Reads a schedule: "eager", "lazy", "random:SEED", "pct:SEED" or "pct:SEED:DEPTH",
/// "exhaustive" or "exhaustive:MAX_ORDERS", "replay:TOKEN".
/// \throws std::invalid_argument quoting the text and what was expected.
void parse_schedule(std::string const& text, options& into);

/// \throws std::invalid_argument unless it is empty or what `options::fault` takes.
void check_fault(std::string const& text);

/// Sets the options. Without a call, options come from the environment: MOCKGPU_SCHEDULE (see
/// `parse_schedule`), MOCKGPU_DIALECT, MOCKGPU_REPORT (a file that receives JSON lines), MOCKGPU_TEXT (a
/// file for the text of findings, instead of standard error).
/// \throws std::invalid_argument naming the option and its value; std::logic_error after the first runtime call.
void configure(options const&);

/// Called for every new finding, at once, on the thread that found it. One sink; replaces the default
/// (text on standard error).
void set_sink(std::function<void(finding const&)>);

/// What an exhaustive schedule came to.
struct covered_orders {
  std::uint64_t orders = 0;         ///< all that can make a difference, or those up to `problem`
  std::uint64_t redundant_runs = 0; ///< that turned out to repeat an order
  std::uint64_t operations = 0, accesses = 0; ///< all runs together
  std::string problem;                        ///< why some orders are not covered, or empty
};
/// Under an exhaustive schedule the process forks at its first runtime call; each child runs the
/// rest in one order. Called in the process that plans, directly before it ends; replaces the
/// default (a line on standard error).
void set_orders_sink(std::function<void(covered_orders const&)>);

struct statistics {
  std::uint64_t calls = 0;             ///< of the runtime, by the program
  std::uint64_t faults = 0;            ///< calls that failed because `options::fault` says so
  std::string first_fault;             ///< the first of them: "cudaMalloc (a.cu:12)", or empty
  std::uint64_t operations = 0;       ///< queued and executed
  std::uint64_t accesses = 0;         ///< loads and stores checked
  std::uint64_t bytes_checked = 0;
  std::uint64_t allocation_calls = 0; ///< device allocations by the program, pool or not
  std::uint64_t release_calls = 0;
};
[[nodiscard]] statistics current_statistics();

/// What repeats the run so far with `schedule_kind::replay`; empty before the first call. A program
/// that does something else under its token ends with an error and exit code 71.
[[nodiscard]] std::string current_token();

/// Names code of the process that the checker does not see: "program(unit.cpp)" for a unit of a
/// program or library that the drivers built otherwise, "libname.so" for a library (outside the
/// system's folders) without any unit of theirs. Sorted. What calls `configure` or `set_sink` is
/// left out. Reads the files of what is loaded: milliseconds.
[[nodiscard]] std::vector<std::string> unhooked_code();

/// Runs what is still queued, reports what was not freed ("leak"), and gives all findings so far.
/// Memory and handles made before `mark_baseline` are not leaks.
std::vector<finding> finish();
void mark_baseline();

/// Back to the state before the first call (tests only): no streams, no memory, no findings.
void reset(options const&);

} // namespace mockgpu
