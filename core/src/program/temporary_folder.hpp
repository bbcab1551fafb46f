#pragma once
/// \file A folder that is removed with its owner.
#include <filesystem>

namespace assay {

class temporary_folder {
public:
  /// An empty folder of this process alone, in the system's folder for such.
  /// \throws error{environment} if it cannot be made.
  temporary_folder();
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  /// With all that it holds; what cannot be removed stays.
  ~temporary_folder();

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace assay
