#pragma once
/// \file From a program_spec to an SDFG in memory.
#include <cstdint>

#include "assay/sdfg.hpp"
#include "fuzz/program_spec.hpp"

namespace assay::fuzz {

/// What a program contains; the shares of these are asserted.
struct features {
  bool parallel_join = false;         ///< an operation that needs two independent ones of its state
  bool device_read_condition = false; ///< a condition on a value that the device produced
  bool loop = false;
  bool renamed_symbol = false; ///< a nested SDFG whose symbols have other names inside
  bool zero_size = false;      ///< an array without elements is touched
  bool zero_fill = false;
  bool jump = false;           ///< a break or continue
  bool host_transient = false; ///< a host array of the program's own
  int operations = 0;
};

struct generated_program {
  sdfg::graph graph;
  features has;
  symbol_values symbols; ///< of the arguments
};

/// Builds a program that reads nothing undefined and in which operations of one state never
/// conflict without a path between them. The same spec gives the same graph.
[[nodiscard]] generated_program build(program_spec const&);

} // namespace assay::fuzz
