#pragma once
/// \file The two kinds of failure that code reports: bad input or environment (exception), and our own
/// bugs (assertion, on in every build). What the checker finds is data and never passes through here.
#include <stdexcept>
#include <string>

namespace assay {

/// What went wrong; the value is the exit code of the command.
enum class errc : int {
  invalid_input = 2, ///< file, case, option or program that breaks a rule
  unsupported = 3,   ///< a valid construct that Assay does not handle
  environment = 4,   ///< device, compiler, file system
};

/// Bad input or environment. `what()` is a lower-case clause that names the object and the rule.
/// `file` and `place` say where (place: JSON pointer inside the file); either may be empty.
class error : public std::runtime_error {
public:
  error(errc code, std::string const& message, std::string place = {}, std::string file = {})
      : std::runtime_error(message), code_(code), place_(std::move(place)), file_(std::move(file)) {}

  [[nodiscard]] errc code() const noexcept { return code_; }
  [[nodiscard]] std::string const& place() const noexcept { return place_; }
  [[nodiscard]] std::string const& file() const noexcept { return file_; }
  /// The same error with the file filled in, where it was not known when it was thrown.
  [[nodiscard]] error in_file(std::string const& file) const {
    return error(code_, what(), place_, file_.empty() ? file : file_);
  }

private:
  errc code_;
  std::string place_;
  std::string file_;
};

/// Prints the invariant and its place, then aborts.
[[noreturn]] void assertion_failed(char const* invariant, char const* file, int line) noexcept;

} // namespace assay

/// An invariant of our own code, checked in every build type.
#define ASSAY_ASSERT(condition)                                                                    \
  ((condition) ? static_cast<void>(0) : ::assay::assertion_failed(#condition, __FILE__, __LINE__))
