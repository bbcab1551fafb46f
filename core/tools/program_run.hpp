#pragma once
/// \file Runs a program that the compiler drivers built, once for each schedule, in processes of
/// their own under the checker, and judges what it found.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/results.hpp"
#include "mockgpu/suppressions.hpp"

namespace assay::tool {

struct run_request {
  std::vector<std::string> command;   ///< the program and its arguments
  std::vector<std::string> schedules; ///< as MOCKGPU_SCHEDULE takes them, at least one
  std::string dialect;                ///< empty: the mock's choice
  std::string depth;                  ///< "ops", "threads" or empty: the mock's choice
  int devices = 1;
  bool advice = false;
  bool twice = false; ///< make each run twice; runs that do not agree are crashes
  std::string fault;              ///< as MOCKGPU_FAULT takes it, or empty
  std::vector<std::string> edges; ///< "wait:3:7"
  mockgpu::suppressions suppressions;
  unsigned jobs = 1;
  std::chrono::milliseconds time_limit{60'000};
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30; ///< resident
};

/// One run, with what a judged run does not tell.
struct program_run {
  std::string schedule, fault;
  std::uint64_t calls = 0;  ///< of the runtime
  std::uint64_t orders = 0; ///< of an exhaustive schedule: all that can make a difference
  std::uint64_t faults = 0; ///< calls that were made to fail
  std::string failed_call;  ///< the first of them: "cudaMalloc (a.cu:12)"
  int exit_code = -1;       ///< -1: a signal or a limit ended it
  bool aborted = false;     ///< it called abort
  judged_run result;
  std::string output, messages; ///< of the program: see child_outcome
};

struct program_report {
  std::vector<program_run> runs;
  std::vector<std::string> notes;
};

/// \throws error{invalid_input} if the program never called mockgpu; error{environment} if it
/// cannot be started.
[[nodiscard]] program_report run_program(run_request const&);

/// Runs the program once as it is and once for each of its runtime calls, which then fails, in the
/// first schedule. A program handles a failure that ends it with an exit code (or an abort) of its
/// own, or that changes nothing that it prints. What it does not handle is the outcome of that run:
/// a crash, a hang, a finding (leaks aside: a program that gives up need not clean up), or success
/// with another output. The request's own fault must be empty.
/// \throws as `run_program`; error{invalid_input} also if the program fails by itself.
[[nodiscard]] program_report sweep_program(run_request const&);

[[nodiscard]] judgement judgement_of(run_request const&, program_report const&);
/// A table of the schedules, the findings, and the verdict as the last line.
[[nodiscard]] std::string to_text(run_request const&, program_report const&);
/// Source of the members: docs/formats.md.
[[nodiscard]] std::string to_json(run_request const&, program_report const&);

} // namespace assay::tool
