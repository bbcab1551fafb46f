#pragma once
/// \file What `check` tells the process of a cell, and what that process answers, one JSON object a
/// line.
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/check.hpp"
#include "assay/error.hpp"

namespace assay {

struct cell_instruction {
  check_cell cell;
  std::filesystem::path program, case_file, library;
  symbol_values set;
  unsigned calls = 1;
  symbol_values set_again; ///< from the second call on
  std::uint64_t seed = 1;
  assay::plant plant = plant::none;
  std::vector<std::string> extra_edges;
  bool retry = false; ///< use the program again after a failure
  std::filesystem::path
      expect_directory; ///< <array>.npy of a reference run; empty: the case's arrays
  std::filesystem::path output_directory; ///< where to write all arrays; empty: nowhere
};
[[nodiscard]] std::string to_json(cell_instruction const&);
[[nodiscard]] cell_instruction parse_instruction(std::string const&);

struct cell_result {
  std::string outputs = "equal";
  std::string failure; ///< the program's own report of a failed call; empty: none
  std::uint64_t operations = 0, accesses = 0;
  std::string order{}; ///< the backend's token of the run
  std::string failed_call{};
  std::vector<std::string> unhooked{};
  /// Runtime calls that the program made: first and last, of each of its functions that made any.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> program_calls{};
  memory_calls in_init{}, in_call{}, in_exit{};
  /// After a failure, where `retry` asks for it: what the program came to when it was used again,
  /// "equal" or the first difference or its next failure.
  std::string again{};
};
/// The end of an exhaustive schedule, after the results of its orders.
struct cell_orders {
  std::uint64_t orders = 0;
};
/// An input or environment error inside the child.
struct cell_error {
  errc code = errc::environment;
  std::string message, place, file;
};
using cell_message = std::variant<check_finding, cell_result, cell_orders, cell_error>;
/// One line, with its newline.
[[nodiscard]] std::string to_line(cell_message const&);
/// \returns nothing for a torn line (of a process that was killed while it wrote).
[[nodiscard]] std::optional<cell_message> parse_line(std::string const&);

} // namespace assay
