#pragma once
/// \file Exclusion between processes, and between threads of one, by a file.
#include <filesystem>

namespace assay {

/// Holds a lock file from construction to destruction. The system lets go of it when its holder
/// dies, however that comes about; a holder that ends removes the file.
class file_lock {
public:
  /// Makes the file and waits while another holder has it. Where the file system knows no locks
  /// nothing is held.
  /// \throws error{environment} naming the folder if the file cannot be made
  explicit file_lock(std::filesystem::path file);
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;
  ~file_lock();

private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

} // namespace assay
