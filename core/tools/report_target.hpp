#pragma once
/// \file Where a report goes.
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::tool {

/// Standard output, or a file that appears whole or not at all.
class report_target {
public:
  /// Fails now if the file could not be written later. Empty: standard output.
  /// \throws error{invalid_input}
  explicit report_target(std::filesystem::path const& file);
  report_target(report_target const&) = delete;
  report_target& operator=(report_target const&) = delete;
  ~report_target() { discard(); }

  /// Once. \throws error{environment}
  void write(std::string const& text);

private:
  void discard();

  std::filesystem::path file_, aside_;
  std::ofstream stream_;
};

/// \throws error{invalid_input} unless it is text, json, junit or sarif.
void check_format(std::string const& format);

} // namespace assay::tool
