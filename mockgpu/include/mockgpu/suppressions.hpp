#pragma once
/// \file Findings that the user has looked at and wants no more reports of.
#include <string>
#include <string_view>
#include <vector>

#include "mockgpu/findings.hpp"

namespace mockgpu {

/// One entry. Patterns take `*` (any text) and `?` (one character); an empty one matches all.
struct suppression {
  std::string kind;   ///< of `finding_kinds()`, or "*"
  std::string kernel; ///< name of either operation: a kernel, an entry point
  std::string place;  ///< "FILE" or "FILE:LINE" of either side, whole or from any '/' on
  std::string memory; ///< name of the memory, or of the sub-array
  std::string reason; ///< never empty
  unsigned line = 0;  ///< of the file, where the entry begins
  unsigned used = 0;  ///< findings that it took out
};

/// A file of entries, separated by empty lines; each line is "NAME: VALUE", '#' begins a comment.
///
///     kind: host-race
///     place: legacy/*.cu:40
///     reason: the reader polls a flag that the checker cannot see
class suppressions {
public:
  suppressions() = default;
  /// \param file for messages. \throws std::invalid_argument "FILE:LINE: " and the rule.
  suppressions(std::string_view text, std::string const& file);
  /// \throws std::invalid_argument also if the file cannot be read.
  [[nodiscard]] static suppressions read(std::string const& file);

  /// The first entry that matches, counted as used, or null.
  suppression const* match(finding const&);
  [[nodiscard]] std::vector<suppression> const& entries() const noexcept { return entries_; }
  /// "FILE:LINE: the suppression of KIND was not used" for each entry that took nothing out.
  [[nodiscard]] std::vector<std::string> unused() const;

private:
  std::string file_;
  std::vector<suppression> entries_;
};

} // namespace mockgpu
