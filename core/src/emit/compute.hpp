#pragma once
/// \file What one thread of a kernel, or the host, computes.
#include "assay/plan.hpp"
#include "emit/code.hpp"

namespace assay::emission {

/// Where a block of statements is printed.
struct compute_context {
  writer& out;
  scope& names;
  std::string where; ///< "kernel 'map_0'": for messages
  bool in_kernel = true;
  std::string return_statement = "return;"; ///< what ends the thread or the call
  int* next_label = nullptr;                ///< numbers of labels, unique in the function
};

/// Prints the statements in order; their declarations stay visible to the caller.
void print_block(compute_context&, plan::compute_block const&);

/// Interstate assignments: all right sides are evaluated before the first name changes.
void print_assignments(writer&, code_printer const&,
                       std::vector<std::pair<std::string, expression>> const& assignments);

/// One range as a for loop's head: "for (long long i = 0; i <= N - 1; i += 1)". Before the
/// parameter is declared.
[[nodiscard]] std::string loop_head(code_printer const&, std::string const& parameter,
                                    sdfg::range const&);

} // namespace assay::emission
