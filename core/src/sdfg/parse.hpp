#pragma once
/// \file What the expression grammar offers to the statement parser.
#include "assay/expression.hpp"

#include <string>
#include <string_view>

namespace assay {

/// `target = value`, `target += value`, or a value alone (assignment is then empty).
struct simple_statement {
  std::string assignment; ///< "=", "+=", "**=", ...
  expression target, value;
};
/// \throws error{invalid_input} with the text and the column.
[[nodiscard]] simple_statement parse_simple_statement(std::string_view);

/// The text on one line for a message: control characters escaped, cut after 80 bytes.
[[nodiscard]] std::string printable(std::string_view);

} // namespace assay
