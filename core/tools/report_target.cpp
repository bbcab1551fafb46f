#include "report_target.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "assay/error.hpp"

namespace assay::tool {

namespace fs = std::filesystem;

report_target::report_target(fs::path const& file) : file_(file) {
  if (file_.empty()) return;
  aside_ = file_;
  aside_ += fmt::format(".{}.part", getpid());
  stream_.open(aside_, std::ios::binary);
  if (!stream_) throw error(errc::invalid_input, "output cannot be written", {}, file_.string());
  if (fs::is_directory(file_)) {
    discard();
    throw error(errc::invalid_input, "output is a folder", {}, file_.string());
  }
}

void report_target::write(std::string const& text) {
  if (file_.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  stream_ << text;
  stream_.close();
  std::error_code failure;
  if (stream_) fs::rename(aside_, file_, failure);
  if (!stream_ || failure)
    throw error(errc::environment, "output cannot be written", {}, file_.string());
  aside_.clear();
}

void report_target::discard() {
  std::error_code ignored;
  if (!aside_.empty()) fs::remove(aside_, ignored);
  aside_.clear();
}

void check_format(std::string const& format) {
  for (char const* known : {"text", "json", "junit", "sarif"})
    if (format == known) return;
  throw error(errc::invalid_input,
              fmt::format("unknown format '{}' (one of text, json, junit, sarif)", format));
}

} // namespace assay::tool
