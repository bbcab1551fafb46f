// mockgpu-nvcc, mockgpu-hipcc and mockgpu-cxx: compile and link for mockgpu with the command lines
// of nvcc, hipcc and g++. The work is done by the host compiler, run once per source file with the
// flags that make memory hooks, and with an assembler of ours (as.cpp) in front of the real one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "canary_check.hpp"
#include "command_line.hpp"
#include "device_pass.hpp"
#include "files.hpp"
#include "rewrite.hpp"

namespace fs = std::filesystem;
using namespace mockgpu::tools;

namespace {

/// Where things lie, relative to the driver: the same in a build tree and in an installed one.
struct installation {
  fs::path program;
  fs::path shim;
  fs::path include;
  fs::path canary;
  fs::path assembler_directory;
  fs::path libraries;
  fs::path toolkit; ///< laid out as NVIDIA's, for build systems that look into it

  explicit installation(fs::path const& executable) : program(executable) {
    fs::path const root = executable.parent_path().parent_path();
    shim = root / "share/mockgpu/shim";
    include = root / "share/mockgpu/include";
    canary = root / "share/mockgpu/canary.cpp";
    assembler_directory = root / "libexec/mockgpu";
    toolkit = root / "share/mockgpu/toolkit";
    for (char const* const name : {"lib", "lib64", "lib/x86_64-linux-gnu"})
      if (fs::exists(root / name / "libmockgpu.so")) {
        libraries = root / name;
        break;
      }
    if (libraries.empty())
      throw std::runtime_error("libmockgpu.so is not below '" + root.string() + "'");
  }
};

std::string identity(installation const& here) {
  std::vector<fs::path> files = {here.program, here.assembler_directory / "as", here.canary,
                                 here.libraries / "libmockgpu.so",
                                 here.libraries / "libmockgpu_hooks.a"};
  for (fs::path const& directory : {here.shim, here.include})
    for (auto const& entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin() + 5, files.end());
  hash sum;
  for (fs::path const& file : files) {
    sum.add(file.filename().string());
    sum.add(read_file(file));
  }
  return sum.hexadecimal();
}

bool is_clang(std::string const& compiler) { return compiler.find("clang") != compiler.npos; }

void append(std::vector<std::string>& list, std::vector<std::string> const& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// The flags that put a hook on every access, and keep code that would escape it from being made.
std::vector<std::string> hook_flags(std::string const& compiler) {
  std::vector<std::string> flags = {
      "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove",
      // A tail call to a hook would report the caller's place as that of the access.
      "-fno-optimize-sibling-calls", "-U_FORTIFY_SOURCE"};
  if (is_clang(compiler))
    append(flags,
           {"-fno-vectorize", "-fno-slp-vectorize", "-mllvm",
            "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-distinguish-volatile=1",
            "-mllvm", "-tsan-instrument-func-entry-exit=0", "-Wno-unused-command-line-argument",
            // Reports find a unit by its list of address ranges.
            "-gdwarf-aranges",
            // Said of every used template of internal linkage.
            "-Wno-undefined-internal"});
  else
    append(flags,
           {"--param=tsan-distinguish-volatile=1", "--param=tsan-instrument-func-entry-exit=0",
            "-fno-gnu-unique"}); // a library with unique symbols is never unloaded
  // The standard library spells them so; a small constant size would then be copied without a hook.
  append(flags,
         {"-D__builtin_memcpy=memcpy", "-D__builtin_memset=memset", "-D__builtin_memmove=memmove"});
  return flags;
}

/// Debug information for source lines in reports and optimisation for speed, unless the user said
/// otherwise.
std::vector<std::string> default_flags(command const& command) {
  auto const given = [&](std::string_view prefix) {
    return std::any_of(command.code_flags.begin(), command.code_flags.end(),
                       [&](std::string const& flag) { return flag.starts_with(prefix); });
  };
  std::vector<std::string> flags;
  if (!given("-g")) flags.emplace_back("-g");
  if (!given("-O")) flags.emplace_back("-O2");
  return flags;
}

fs::path cache_directory() {
  if (char const* const given = std::getenv("MOCKGPU_CACHE"); given != nullptr && *given != '\0')
    return given;
  if (char const* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "mockgpu";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache/mockgpu";
  return fs::temp_directory_path() / ("mockgpu-" + std::to_string(getuid()));
}

/// A directory for files that nobody asked for; gone with the object.
struct temporary_directory {
  fs::path path;
  temporary_directory() {
    std::string pattern = (fs::temp_directory_path() / "mockgpu-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("cannot make a directory like '" + pattern + "'");
    path = pattern;
  }
  ~temporary_directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  temporary_directory(temporary_directory const&) = delete;
  temporary_directory& operator=(temporary_directory const&) = delete;
};

class driver {
public:
  driver(driver_kind kind, std::string name, installation here, command wanted)
      : kind_(kind), name_(std::move(name)), here_(std::move(here)), command_(std::move(wanted)) {
    char const* const environment = std::getenv("MOCKGPU_CXX");
    compiler_ = !command_.compiler.empty()                       ? command_.compiler
                : environment != nullptr && *environment != '\0' ? environment
                                                                 : "g++";
    // nvcc takes a directory too.
    if (fs::is_directory(compiler_)) compiler_ = (fs::path(compiler_) / "g++").string();
  }

  int run() {
    switch (command_.what) {
    case command::action::print_identity:
      std::printf("%s %s\n", name_.c_str(), identity(here_).c_str());
      return 0;
    case command::action::print_version:
      print_version();
      return 0;
    case command::action::ask_host: {
      std::vector<std::string> arguments = {compiler_};
      append(arguments, command_.code_flags);
      return execute(arguments);
    }
    default:
      break;
    }
    if (kind_ == driver_kind::nvcc && command_.show_commands) print_toolkit();
    if (command_.what == command::action::device_link) return device_link();
    if (command_.sources.empty() && command_.link_inputs.empty())
      throw usage_error("no input files");
    if (command_.what == command::action::preprocess) return preprocess();
    if (!command_.sources.empty() && !command_.dry_run) check_canary();
    if (command_.what == command::action::compile) return compile_only();
    return compile_and_link();
  }

private:
  /// For nvcc and hipcc with the line by which build systems know the real ones, and their version.
  void print_version() const {
    std::printf("%s: compiler driver of mockgpu %s\n", name_.c_str(), MOCKGPU_VERSION);
    if (kind_ == driver_kind::nvcc)
      std::printf("In the place of:\nnvcc: NVIDIA (R) Cuda compiler driver\n"
                  "Cuda compilation tools, release 13.0, V13.0.88\n");
    else if (kind_ == driver_kind::hipcc)
      std::printf("In the place of:\nHIP version: 6.2.0\n");
    std::fflush(stdout);
  }

  /// The libraries that nvcc names when it links, as build systems read them from its verbose
  /// output.
  [[nodiscard]] std::string library_path() const { return "-L" + (toolkit() / "lib64").string(); }
  [[nodiscard]] fs::path const& toolkit() const { return here_.toolkit; }

  /// What nvcc says first when it is verbose. CMake reads the toolkit's place from it.
  void print_toolkit() const {
    std::string const top = toolkit().string();
    char const* const path = std::getenv("PATH");
    std::fprintf(stderr,
                 "#$ _NVVM_BRANCH_=nvvm\n#$ _CUDART_=cudart\n#$ _HERE_=%s/bin\n#$ TOP=%s\n"
                 "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s:%s\n"
                 "#$ INCLUDES=\"-I%s\"\n#$ LIBRARIES=\"%s\"\n"
                 "#$ cicc -arch compute_75 (the capability that a program finds by default)\n",
                 top.c_str(), top.c_str(), top.c_str(), here_.program.parent_path().c_str(),
                 path != nullptr ? path : "", here_.shim.c_str(), library_path().c_str());
  }

  int execute(std::vector<std::string> const& arguments) {
    if (command_.show_commands) {
      std::string line = kind_ == driver_kind::nvcc ? "#$ " : "";
      for (std::string const& argument : arguments) {
        bool const plain = argument.find_first_of(" \"'\\$`*?;&|<>()") == argument.npos;
        bool const library_path = argument.starts_with("-L") && kind_ == driver_kind::nvcc;
        line += plain && !library_path ? argument : '"' + argument + '"';
        line += ' ';
      }
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    if (command_.dry_run) return 0;
    return run_process(arguments, /*capture=*/false).exit_code;
  }

  std::vector<std::string> source_flags(source_file const& source) const {
    // The shim comes first: it also stands in front of a vendor's toolkit named with -I.
    std::vector<std::string> flags = {"-I" + here_.shim.string(), "-I" + here_.include.string(),
                                      "-D__MOCKGPU__=1"};
    if (kind_ == driver_kind::hipcc) append(flags, {"-D__HIP_PLATFORM_AMD__=1"});
    if (source.device && !is_generated_by_dace()) append(flags, compiler_macros());
    if (source.device && source.language == "c++")
      append(flags, {"-include", "mockgpu/kept_registers.h"});
    append(flags, {"-include", "string.h"});
    append(flags, command_.preprocess_flags);
    if (source.device)
      append(flags,
             {"-include", kind_ == driver_kind::hipcc ? "mockgpu/device.h" : "cuda_runtime.h"});
    return flags;
  }

  /// The macros by which sources know a device compiler.
  [[nodiscard]] std::vector<std::string> compiler_macros() const {
    if (kind_ == driver_kind::hipcc)
      return {"-D__HIPCC__=1", "-D__HIP__=1", "-D__HIP_PLATFORM_HCC__=1"};
    return {"-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13",
            "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=88"};
  }

  /// DaCe's headers take a device compiler for one that brings thrust and the narrow floating-point
  /// types with it, so its programs are compiled without those macros. WITH_CUDA and WITH_HIP are
  /// what its generated build defines.
  [[nodiscard]] bool is_generated_by_dace() const {
    return defines("WITH_CUDA") || defines("WITH_HIP");
  }

  /// Whether the command line has this macro.
  [[nodiscard]] bool defines(std::string_view name) const {
    auto const& flags = command_.preprocess_flags;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      std::string_view const flag = flags[i];
      std::string_view const text = flag == "-D" && i + 1 < flags.size()
                                        ? std::string_view(flags[i + 1])
                                    : flag.starts_with("-D") ? flag.substr(2)
                                                             : std::string_view();
      if (text.substr(0, text.find('=')) == name) return true;
    }
    return false;
  }

  /// The macros that are defined while code for the device is compiled, the one that says so first.
  [[nodiscard]] std::vector<std::string> device_macros() const {
    if (kind_ != driver_kind::hipcc) {
      constexpr unsigned default_of_nvcc = 75;
      unsigned const asked = command_.cuda_architecture;
      return {"__CUDA_ARCH__=" + std::to_string(10 * (asked != 0 ? asked : default_of_nvcc))};
    }
    std::vector<std::string> macros = {"__HIP_DEVICE_COMPILE__=1"};
    if (!command_.hip_architectures.empty()) {
      std::string const& name = command_.hip_architectures.back();
      macros.push_back("__" + name + "__=1");
      // "gfx90a" is of the family "GFX9": what stands in front of the last two letters.
      if (name.size() > 5 && name.starts_with("gfx"))
        macros.push_back("__GFX" + name.substr(3, name.size() - 5) + "__=1");
    }
    return macros;
  }

  int preprocess() {
    int worst = 0;
    for (source_file const& source : command_.sources) {
      std::vector<std::string> arguments = {compiler_};
      append(arguments, source_flags(source));
      append(arguments, command_.code_flags);
      append(arguments, command_.dependency_flags);
      if (std::find(command_.dependency_flags.begin(), command_.dependency_flags.end(), "-M") ==
              command_.dependency_flags.end() &&
          std::find(command_.dependency_flags.begin(), command_.dependency_flags.end(), "-MM") ==
              command_.dependency_flags.end())
        arguments.emplace_back("-E");
      append(arguments, {"-x", source.language, source.path});
      if (!command_.output.empty()) append(arguments, {"-o", command_.output});
      worst = std::max(worst, execute(arguments));
    }
    return worst;
  }

  int compile(source_file const& source, std::string const& object) {
    std::vector<std::string> arguments = {compiler_};
    if (source.language == "assembler" || source.language == "assembler-with-cpp") {
      // Written by hand: there is nothing to hook.
      append(arguments, {"-c", "-x", source.language, source.path, "-o", object});
      return execute(arguments);
    }
    bool const rewrites = source.device && source.language == "c++";
    std::vector<std::string> const preprocess_flags = source_flags(source);
    std::vector<std::string> code = default_flags(command_);
    if (source.language == "c++")
      code.emplace_back("-std=gnu++17"); // g++'s and nvcc's default; clang 14's is older
    append(code, command_.code_flags);
    if (rewrites)
      for (std::string& flag : code) flag = with_shims_standard(flag);
    append(code, hook_flags(compiler_));
    append(arguments, code);
    if (!rewrites) {
      append(arguments, preprocess_flags);
      append(arguments, command_.dependency_flags);
    }
    append(arguments, {"-B", here_.assembler_directory.string()});
    if (is_clang(compiler_)) arguments.emplace_back("-fno-integrated-as");
    append(arguments, {"-c", "-o", object});
    if (!rewrites) {
      append(arguments, {"-x", source.language, source.path});
      return execute(arguments);
    }
    temporary_directory const texts;
    std::string const text = (texts.path / "source.ii").string();
    if (int const failure = rewrite(source, code, object, text); failure != 0) return failure;
    append(arguments, {"-x", "c++-cpp-output", text});
    return execute(arguments);
  }

  /// The shim's headers need C++14.
  static std::string with_shims_standard(std::string const& flag) {
    for (std::string_view const old : {"98", "03", "0x", "11"})
      for (std::string_view const family : {"-std=c++", "-std=gnu++"})
        if (flag == std::string(family) + std::string(old)) return std::string(family) + "14";
    return flag;
  }

  /// Preprocesses a source file and turns what is not C++ into C++ (rewrite.hpp).
  int rewrite(source_file const& source, std::vector<std::string> const& code_flags,
              std::string const& object, std::string const& text) {
    std::vector<std::string> arguments = {compiler_};
    append(arguments, code_flags);
    append(arguments, source_flags(source));
    append(arguments, {"-DMOCKGPU_REWRITES", "-E", "-x", source.language, source.path, "-o", text});
    append(arguments, dependency_flags(source, object));
    if (int const failure = execute(arguments); failure != 0) return failure;
    if (command_.dry_run) return 0;
    std::string seen = read_file(text);
    std::vector<std::string> const macros = device_macros();
    if (!is_generated_by_dace() && !defines(macros.front().substr(0, macros.front().find('='))) &&
        asks_for_whom(seen, here_.shim.string())) {
      std::vector<std::string> again = {compiler_};
      append(again, code_flags);
      append(again, source_flags(source));
      for (std::string const& macro : macros) again.push_back("-D" + macro);
      append(again, {"-w", "-DMOCKGPU_REWRITES", "-DMOCKGPU_DEVICE_PASS", "-E", "-x",
                     source.language, source.path, "-o", text});
      if (int const failure = execute(again); failure != 0) return failure;
      seen = merge_passes(seen, read_file(text));
    } else {
      seen = without_host_marks(seen);
    }
    std::string const rewritten = rewrite_source(seen);
    std::ofstream(text, std::ios::binary) << rewritten;
    return 0;
  }

  /// The dependency flags, with what the host compiler would take from `-o` of a compilation.
  [[nodiscard]] std::vector<std::string> dependency_flags(source_file const&,
                                                          std::string const& object) const {
    std::vector<std::string> flags = command_.dependency_flags;
    auto const given = [&](std::string_view name) {
      return std::find(flags.begin(), flags.end(), name) != flags.end();
    };
    if (!given("-MD") && !given("-MMD")) return flags;
    if (!given("-MF")) append(flags, {"-MF", fs::path(object).replace_extension(".d").string()});
    if (!given("-MT") && !given("-MQ")) append(flags, {"-MQ", object});
    return flags;
  }

  int compile_only() {
    if (!command_.output.empty() && command_.sources.size() > 1)
      throw usage_error("-o with -c and several source files");
    int worst = 0;
    for (source_file const& source : command_.sources) {
      std::string const object =
          !command_.output.empty() ? command_.output : fs::path(source.path).stem().string() + ".o";
      worst = std::max(worst, compile(source, object));
    }
    return worst;
  }

  /// An object without content: the device code that nvcc links at this point is host code here,
  /// and each object has its own.
  int device_link() {
    std::vector<std::string> arguments = {compiler_,
                                          "-x",
                                          "c",
                                          "-c",
                                          "/dev/null",
                                          "-o",
                                          command_.output.empty() ? "a_dlink.o" : command_.output};
    append(arguments, command_.link_flags);
    std::erase(arguments, "-shared");
    if (is_clang(compiler_)) arguments.emplace_back("-fno-integrated-as");
    return execute(arguments);
  }

  int compile_and_link() {
    temporary_directory const objects;
    std::vector<std::string> inputs;
    for (source_file const& source : command_.sources) {
      std::string const object = (objects.path / (std::to_string(inputs.size()) + "-" +
                                                  fs::path(source.path).stem().string() + ".o"))
                                     .string();
      if (int const failure = compile(source, object); failure != 0) return failure;
      inputs.push_back(object);
    }
    append(inputs, command_.link_inputs);
    if (command_.what == command::action::archive) return archive(inputs);
    return kind_ == driver_kind::nvcc ? link_as_host(inputs) : link(inputs);
  }

  int archive(std::vector<std::string> const& inputs) {
    std::vector<std::string> arguments = {"ar", "rcs",
                                          command_.output.empty() ? "a.a" : command_.output};
    append(arguments, inputs);
    return execute(arguments);
  }

  int link(std::vector<std::string> const& inputs) {
    std::vector<std::string> arguments = {compiler_};
    // What the objects are has been settled; the language and the standard are the linker's no
    // more.
    append(arguments, command_.code_flags);
    append(arguments, command_.link_flags);
    append(arguments, inputs);
    append(arguments,
           {(here_.libraries / "libmockgpu_hooks.a").string(),
            (here_.libraries / "libmockgpu.so").string(), "-Wl,-rpath," + here_.libraries.string(),
            "-o", command_.output.empty() ? "a.out" : command_.output});
    if (command_.show_commands && kind_ == driver_kind::cxx) arguments.emplace_back("-v");
    return execute(arguments);
  }

  /// nvcc links with the host compiler, which for us is mockgpu-cxx: a build system that takes the
  /// command from verbose output and repeats it by itself links as we do.
  int link_as_host(std::vector<std::string> const& inputs) {
    std::vector<std::string> arguments = {(here_.program.parent_path() / "mockgpu-cxx").string(),
                                          "-ccbin", compiler_};
    append(arguments, command_.code_flags);
    append(arguments, command_.link_flags);
    append(arguments, inputs);
    append(arguments, {library_path(), "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread",
                       "-ldl", "-o", command_.output.empty() ? "a.out" : command_.output});
    return execute(arguments);
  }

  /// Refuses the build when a form of access has no hook under these flags. Passed checks are
  /// remembered.
  void check_canary() {
    std::vector<std::string> flags = default_flags(command_);
    append(flags, command_.code_flags);
    append(flags, hook_flags(compiler_));
    std::string const source = read_file(here_.canary);
    hash key;
    key.add(compiler_);
    key.add(source);
    key.add(MOCKGPU_VERSION);
    for (std::string const& flag : flags) {
      key.add(flag);
      key.add({"\0", 1});
    }
    fs::path const stamp = cache_directory() / "canary" / key.hexadecimal();
    if (fs::exists(stamp)) return;
    std::vector<std::string> arguments = {compiler_};
    append(arguments, flags);
    append(arguments, {"-w", "-x", "c++", "-S", here_.canary.string(), "-o", "-"});
    auto const compiled = run_process(arguments, /*capture=*/true);
    if (compiled.exit_code != 0)
      throw std::runtime_error("'" + compiler_ + "' does not take the flags of this build");
    auto const missing =
        find_missing_hooks(source, compiled.output, is_clang(compiler_) ? "clang++" : "g++");
    if (!missing.empty()) {
      std::string message =
          "with these flags '" + compiler_ + "' makes accesses that no hook sees:";
      for (auto const& one : missing) message += "\n  " + one.function + " lacks " + one.wanted;
      message += "\nflags:";
      for (std::string const& flag : flags) message += " " + flag;
      throw std::runtime_error(message);
    }
    // A cache that cannot be written costs time, not correctness.
    std::error_code ignored;
    fs::create_directories(stamp.parent_path(), ignored);
    std::ofstream(stamp) << compiler_ << '\n';
  }

  driver_kind kind_;
  std::string name_;
  installation here_;
  command command_;
  std::string compiler_;
};

} // namespace

int main(int argc, char** argv) {
  std::string const name = fs::path(argv[0]).filename().string();
  try {
    // CMake's HIP language takes no compiler by the name of hipcc.
    driver_kind const kind = name.ends_with("hipcc") || name.ends_with("mockgpu-hip")
                                 ? driver_kind::hipcc
                             : name.ends_with("nvcc") ? driver_kind::nvcc
                                                      : driver_kind::cxx;
    std::vector<std::string> const arguments(argv + 1, argv + argc);
    return driver(kind, name, installation(fs::read_symlink("/proc/self/exe")),
                  parse_command_line(kind, arguments))
        .run();
  } catch (rewrite_error const& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "%s: error: %s\n", name.c_str(), problem.what());
    return 1;
  }
}
