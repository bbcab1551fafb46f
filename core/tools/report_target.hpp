#pragma once
/// \file Where a report goes.
#include <filesystem>
#include <optional>
#include <string>

#include "program/whole_file.hpp"

namespace assay::tool {

/// Standard output, or a file that appears whole or not at all.
class report_target {
public:
  /// Empty or "-": standard output. \throws error{invalid_input} as whole_file
  explicit report_target(std::filesystem::path const& file);

  /// Once. \throws error{environment}
  void write(std::string const& text);

private:
  std::optional<whole_file> file_;
};

/// Once everything is printed: what standard output still holds. \throws error{environment}
void finish_standard_output();

/// \throws error{invalid_input} unless it is text, json, junit or sarif.
void check_format(std::string const& format);

} // namespace assay::tool
