#include "report_target.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "assay/error.hpp"

namespace assay::tool {

namespace fs = std::filesystem;

namespace {

/// Streams tell that they failed, not why.
int last_failure() { return errno != 0 ? errno : EIO; }

} // namespace

report_target::report_target(fs::path const& file) : file_(file == "-" ? fs::path() : file) {
  if (file_.empty()) return;
  std::error_code none;
  auto const existing = fs::status(file_, none); // of what a link names
  if (fs::is_directory(existing))
    throw error(errc::invalid_input, "output is a folder", {}, file_.string());
  // A rename would put a plain file in the place of a device.
  if (!fs::exists(existing) || fs::is_regular_file(existing)) {
    target_ =
        fs::is_symlink(fs::symlink_status(file_, none)) ? fs::weakly_canonical(file_, none) : file_;
    aside_ = target_;
    aside_ += fmt::format(".{}.part", getpid());
  }
  stream_.open(aside_.empty() ? file_ : aside_, std::ios::binary);
  if (!stream_)
    throw error(errc::invalid_input,
                fmt::format("output cannot be written: {}", std::strerror(last_failure())), {},
                file_.string());
}

void report_target::write(std::string const& text) {
  if (file_.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  stream_ << text;
  stream_.close();
  std::error_code failure;
  if (!stream_) failure.assign(last_failure(), std::generic_category());
  if (!failure && !aside_.empty()) fs::rename(aside_, target_, failure);
  if (failure)
    throw error(errc::environment, fmt::format("output cannot be written: {}", failure.message()),
                {}, file_.string());
  aside_.clear();
}

void finish_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw error(errc::environment,
              fmt::format("cannot be written: {}", std::strerror(last_failure())), {},
              "standard output");
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
