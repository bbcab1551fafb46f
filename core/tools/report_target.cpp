#include "report_target.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay::tool {

report_target::report_target(std::filesystem::path const& file) {
  if (!file.empty() && file != "-") file_.emplace(file);
}

void report_target::write(std::string const& text) {
  if (file_)
    file_->write(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void finish_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw error(errc::environment,
              fmt::format("cannot be written: {}", std::strerror(errno != 0 ? errno : EIO)), {},
              "standard output");
}

void check_format(std::string const& format) {
  for (char const* known : {"text", "json", "junit", "sarif"})
    if (format == known) return;
  throw error(errc::invalid_input,
              fmt::format("unknown format '{}' (one of text, json, junit, sarif)", format));
}

} // namespace assay::tool
