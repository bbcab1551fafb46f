#include "assay/workspace_config.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {

workspace_config::workspace_config(std::int64_t size_bytes) {
  if (size_bytes <= 0)
    throw error(errc::invalid_input,
                fmt::format("workspace of {} bytes: the size must be positive", size_bytes));
  size_bytes_ = static_cast<std::size_t>(size_bytes);
}

std::optional<workspace_config> workspace_config_from_environment() {
  char const* const variable = std::getenv(workspace_size_variable);
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  std::string_view const text = variable;
  auto const fail = [&](char const* rule) {
    return error(errc::invalid_input,
                 fmt::format("{} is '{}': {}", workspace_size_variable, text, rule));
  };
  std::int64_t value = 0;
  auto const parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range && parsed.ptr == text.data() + text.size())
    throw fail(text.front() == '-' ? "the size must be positive"
                                   : "the size passes 2^63 - 1 bytes");
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size())
    throw fail("no number of bytes");
  if (value <= 0) throw fail("the size must be positive");
  return workspace_config(value);
}

std::optional<workspace_config> chosen_workspace(std::optional<workspace_config> given) {
  return given ? given : workspace_config_from_environment();
}

} // namespace assay
