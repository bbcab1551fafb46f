#include "report/sink.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "dialect/dialect.hpp"

namespace mockgpu {

std::function<void(finding const&)> default_sink() {
  return [](finding const& f) {
    std::fprintf(stderr, "%s\n", to_text(f).c_str());
    char const* const path = std::getenv("MOCKGPU_REPORT");
    if (path == nullptr || *path == '\0') return;
    // Opened for each finding: what is out is out, whatever happens to the process next.
    if (std::FILE* const file = std::fopen(path, "a"); file != nullptr) {
      std::fprintf(file, "%s\n", to_json(f).c_str());
      std::fclose(file);
    } else {
      std::fprintf(stderr, "mockgpu: cannot write to %s\n", path);
    }
  };
}

options options_from_environment() {
  options result;
  auto const refuse = [](char const* variable, std::string const& why) {
    std::fprintf(stderr, "mockgpu: %s: %s\n", variable, why.c_str());
    std::exit(2);
  };
  if (char const* const value = std::getenv("MOCKGPU_SCHEDULE"); value != nullptr && *value != '\0') {
    std::string const text = value;
    if (text == "eager") {
      result.schedule = schedule_kind::eager;
    } else if (text == "lazy") {
      result.schedule = schedule_kind::lazy;
    } else if (text.starts_with("random:") && text.find_first_not_of("0123456789", 7) == std::string::npos &&
               text.size() > 7 && text.size() < 27) {
      result.schedule = schedule_kind::random;
      result.seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    } else {
      refuse("MOCKGPU_SCHEDULE", "'" + text + "' is none of eager, lazy, random:SEED");
    }
  }
  if (char const* const value = std::getenv("MOCKGPU_DIALECT"); value != nullptr && *value != '\0') {
    result.dialect = value;
    try {
      (void)check_dialect(result.dialect);
    } catch (std::invalid_argument const& e) {
      refuse("MOCKGPU_DIALECT", e.what());
    }
  }
  return result;
}

} // namespace mockgpu
