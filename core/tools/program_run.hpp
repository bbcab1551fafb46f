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
  std::vector<std::string> edges; ///< "wait:3:7"
  mockgpu::suppressions suppressions;
  unsigned jobs = 1;
  std::chrono::milliseconds time_limit{60'000};
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30; ///< resident
};

/// One run, with what a judged run does not tell.
struct program_run {
  std::string schedule;
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

[[nodiscard]] judgement judgement_of(run_request const&, program_report const&);
/// A table of the schedules, the findings, and the verdict as the last line.
[[nodiscard]] std::string to_text(run_request const&, program_report const&);
/// Source of the members: docs/formats.md.
[[nodiscard]] std::string to_json(run_request const&, program_report const&);

} // namespace assay::tool
