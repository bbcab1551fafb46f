#include "program/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "assay/error.hpp"

namespace assay {

namespace fs = std::filesystem;

temporary_folder::temporary_folder() {
  std::string name = (fs::temp_directory_path() / "assay-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw error(errc::environment, std::string("cannot make a folder: ") + std::strerror(errno), {},
                name);
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace assay
