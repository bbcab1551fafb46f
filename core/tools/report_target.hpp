#pragma once
/// \file Where a report goes.
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::tool {

/// Standard output, or a file that appears whole or not at all. A link stays one: what it names is
/// written. What is no plain file (a device, a pipe) stays too, and is written as it is.
class report_target {
public:
  /// Fails now if the file could not be written later. Empty or "-": standard output.
  /// \throws error{invalid_input}
  explicit report_target(std::filesystem::path const& file);
  report_target(report_target const&) = delete;
  report_target& operator=(report_target const&) = delete;
  ~report_target() { discard(); }

  /// Once. \throws error{environment}
  void write(std::string const& text);

private:
  void discard();

  std::filesystem::path file_, target_, aside_; ///< as given; the file to replace; what replaces it
  std::ofstream stream_;
};

/// Once everything is printed: what standard output still holds. \throws error{environment}
void finish_standard_output();

/// \throws error{invalid_input} unless it is text, json, junit or sarif.
void check_format(std::string const& format);

} // namespace assay::tool
