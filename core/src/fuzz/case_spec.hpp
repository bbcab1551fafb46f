#pragma once
/// \file One random case: a program and the way it is run.
#include <cstdint>
#include <iosfwd>

#include "assay/settings.hpp"
#include "fuzz/program_spec.hpp"

namespace assay::fuzz {

enum class caller_stream : std::uint8_t { null_stream, blocking, non_blocking };

struct run_spec {
  settings chosen;
  caller_stream stream = caller_stream::null_stream; ///< where the program takes the caller's
  bool larger_workspace = false;
  bool shifted_workspace = false; ///< it begins behind other bytes of its allocation
  bool may_fail = false; ///< a call of the runtime is made to fail: outcome::failure says how
  int calls = 1;
  std::uint64_t seed = 1;    ///< of the initial data, and of the schedule where it is random
  std::uint8_t schedule = 0; ///< eager, lazy, random
};

struct case_spec {
  program_spec program;
  run_spec run;
};

std::ostream& operator<<(std::ostream&, run_spec const&);
std::ostream& operator<<(std::ostream&, case_spec const&);

} // namespace assay::fuzz
