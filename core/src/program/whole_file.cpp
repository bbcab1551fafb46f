#include "program/whole_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {

namespace fs = std::filesystem;

namespace {

/// Streams tell that they failed, not why.
int last_failure() { return errno != 0 ? errno : EIO; }

/// Follows links to the end, also to a file that does not exist yet.
fs::path what_it_names(fs::path file) {
  std::error_code none;
  constexpr int most_links = 40; // as many as the system follows
  for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(file, none)); ++k)
    file = file.parent_path() / fs::read_symlink(file, none);
  return file;
}

} // namespace

whole_file::whole_file(fs::path const& file) : file_(file) {
  std::error_code none;
  auto const existing = fs::status(file_, none); // of what a link names
  if (fs::is_directory(existing))
    throw error(errc::invalid_input, "output is a folder", {}, file_.string());
  // A rename would put a plain file in the place of a device.
  if (!fs::exists(existing) || fs::is_regular_file(existing)) {
    target_ = what_it_names(file_);
    static std::atomic<unsigned> counter{0};
    aside_ = target_;
    aside_ += fmt::format(".{}-{}.part", getpid(), counter++);
  }
  stream_.open(aside_.empty() ? file_ : aside_, std::ios::binary);
  if (!stream_)
    throw error(errc::invalid_input,
                fmt::format("output cannot be written: {}", std::strerror(last_failure())), {},
                file_.string());
}

whole_file::~whole_file() {
  std::error_code ignored;
  if (!aside_.empty()) fs::remove(aside_, ignored);
}

void whole_file::write(std::string const& text) {
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

} // namespace assay
