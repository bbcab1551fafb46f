#pragma once
/// \file The command lines of nvcc, hipcc and a host compiler, read into one form.
#include <stdexcept>
#include <string>
#include <vector>

namespace mockgpu::tools {

/// Whose command line a driver takes.
enum class driver_kind { nvcc, hipcc, cxx };

/// A command line that cannot be served. The message names the option; no program name in front.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct source_file {
  std::string path;
  std::string language; ///< for -x of the host compiler: "c++", "c" or "assembler-with-cpp"
  bool device =
      false; ///< may hold kernels: gets the vendor's header in front, as the real compilers do
};

/// A command line in terms of the host compiler.
struct command {
  enum class action {
    link,
    compile,
    preprocess,
    device_link, ///< nvcc -dlink: an object that holds nothing, since there is no device code
    archive,     ///< nvcc -lib
    ask_host,    ///< a question about the host compiler, such as -dumpmachine
    print_identity,
    print_version
  };
  action what = action::link;
  std::string compiler; ///< host compiler asked for (-ccbin), or empty
  std::string output;
  bool shared = false;
  bool show_commands = false;
  bool dry_run = false; ///< show the commands and run none
  std::vector<source_file> sources;
  std::vector<std::string> link_inputs;      ///< objects, libraries and -l, in order
  std::vector<std::string> preprocess_flags; ///< -D, -U, -I, -include, ...
  std::vector<std::string>
      code_flags; ///< -O, -g, -f, -m, -std, -W: what the canary is compiled with
  std::vector<std::string> dependency_flags; ///< -MD, -MF, ...
  std::vector<std::string> link_flags;
  unsigned cuda_architecture = 0;             ///< the highest one asked for, as in 90; 0: none
  std::vector<std::string> hip_architectures; ///< asked for, as in gfx90a
};

/// \param arguments without the program's name. `--options-file` (nvcc) and `@file` are read.
/// \throws usage_error naming an option that the driver does not know or cannot serve, or that
/// lacks its value.
[[nodiscard]] command parse_command_line(driver_kind, std::vector<std::string> const& arguments);

} // namespace mockgpu::tools
