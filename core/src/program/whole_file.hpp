#pragma once
/// \file Files that appear whole or not at all.
#include <filesystem>
#include <fstream>
#include <string>

namespace assay {

/// A file to be written. A link stays one: what it names is written. What is no plain file (a
/// device, a pipe) stays too, and is written as it is.
class whole_file {
public:
  /// Fails now if the file could not be written later.
  /// \throws error{invalid_input}
  explicit whole_file(std::filesystem::path const& file);
  whole_file(whole_file const&) = delete;
  whole_file& operator=(whole_file const&) = delete;
  ~whole_file();

  /// Once. \throws error{environment}
  void write(std::string const& text);

private:
  std::filesystem::path file_, target_, aside_; ///< as given; the file to replace; what replaces it
  std::ofstream stream_;
};

} // namespace assay
