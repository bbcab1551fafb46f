#pragma once
/// \file The text that repeats one run: a command and its options, with no character that a shell
/// knows, so that it can be pasted as it is.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::tool {

/// "run,schedule=random:3,program=./a.out,argument=5": members in order, names may repeat.
struct replay_token {
  std::string command; ///< "run", "check" or "fuzz"
  std::vector<std::pair<std::string, std::string>> members;

  /// Leaves out members without a value.
  void add(std::string_view name, std::string_view value);
  /// The value of the first member of that name, or `otherwise`.
  [[nodiscard]] std::string get(std::string_view name, std::string_view otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
};

[[nodiscard]] std::string to_text(replay_token const&);
/// \throws error{invalid_input} quoting the part that is wrong.
[[nodiscard]] replay_token parse_replay_token(std::string_view);

} // namespace assay::tool
