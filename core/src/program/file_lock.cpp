#include "program/file_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/error.hpp"

namespace assay {
namespace {

/// Whether the name still means the file that is open: its last holder may have removed it.
bool is_still(std::filesystem::path const& file, int descriptor) {
  struct stat named = {}, open = {};
  return stat(file.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

} // namespace

file_lock::file_lock(std::filesystem::path file) : file_(std::move(file)) {
  for (;;) {
    // Not for the processes that the holder starts: they may outlive it.
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0)
      throw error(errc::environment, std::string("cannot write there: ") + std::strerror(errno), {},
                  file_.parent_path().string());
    int status = 0;
    while ((status = flock(descriptor_, LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (status != 0 || is_still(file_, descriptor_)) return;
    close(descriptor_);
  }
}

file_lock::~file_lock() {
  // While it is held, so that nobody who waits for it takes the name for the lock.
  unlink(file_.c_str());
  close(descriptor_);
}

} // namespace assay
