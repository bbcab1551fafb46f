#pragma once
/// \file Small programs, built by the drivers and run by the real command.
#include <string>
#include <vector>

#include "check/e2e_tool.hpp"

namespace assay::e2e {

/// An executable in a folder of its own; both go with the object.
class built_program {
public:
  /// Builds programs/NAME (or the file, if NAME is a path) with mockgpu-nvcc (or `driver`). Fails
  /// the test if it does not build.
  explicit built_program(std::string const& name, std::string const& driver = "mockgpu-nvcc",
                         std::vector<std::string> const& flags = {});
  [[nodiscard]] std::string path() const { return (folder_.path / "program").string(); }
  [[nodiscard]] std::filesystem::path const& folder() const { return folder_.path; }

private:
  scratch folder_;
};

/// `assay run OPTIONS --format json PROGRAM ARGUMENTS`.
[[nodiscard]] report run_built(built_program const&, std::vector<std::string> options,
                               std::vector<std::string> arguments = {});
/// Kinds of all findings of all runs, each once, sorted.
[[nodiscard]] std::vector<std::string> kinds_of(report const&);

} // namespace assay::e2e
