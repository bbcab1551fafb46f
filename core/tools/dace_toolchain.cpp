#include "dace_toolchain.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "program/process.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

/// Names and contents of all headers: a change must rebuild.
std::string headers_text(fs::path const& directory) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files); // a directory has no order
  std::string text;
  for (fs::path const& file : files) {
    std::ifstream stream(file, std::ios::binary);
    text += file.lexically_relative(directory).string() + '\n';
    text.append(std::istreambuf_iterator<char>(stream), {});
  }
  return text;
}

} // namespace

fs::path dace_include(fs::path const& given) {
  if (!given.empty()) {
    if (!fs::exists(given / "dace" / "dace.h"))
      throw error(errc::environment, "holds no dace/dace.h", {}, given.string());
    return given;
  }
  char const* const chosen = std::getenv("ASSAY_PYTHON");
  std::string const python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  // Finding a package does not import it, which would take seconds.
  command_result const found =
      run_command({python, "-c",
                   "import importlib.util, os; s = importlib.util.find_spec('dace'); "
                   "print(os.path.join(os.path.dirname(s.origin), 'runtime', 'include') if s else "
                   "'', end='')"});
  fs::path const folder = found.output;
  if (found.exit_code != 0 || folder.empty() || !fs::exists(folder / "dace" / "dace.h"))
    throw error(errc::environment,
                fmt::format("the headers of DaCe are missing: '{}' has no package 'dace' "
                            "(--dace-include DIR, or ASSAY_PYTHON)",
                            python));
  return folder;
}

toolchain dace_toolchain(toolchain tools, target target, fs::path const& dace_include) {
  tools.include_directories = {dace_include};
  tools.flags.insert(tools.flags.end(), {"-w", "-DDACE_BINARY_DIR=\".\""});
  if (target != target::cpu) tools.flags.push_back("-DWITH_CUDA");
  if (target == target::hip) tools.flags.push_back("-DWITH_HIP");
  tools.identity += headers_text(dace_include);
  return tools;
}

} // namespace assay::tool
