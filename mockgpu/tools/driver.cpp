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

  explicit installation(fs::path const& executable) : program(executable) {
    fs::path const root = executable.parent_path().parent_path();
    shim = root / "share/mockgpu/shim";
    include = root / "share/mockgpu/include";
    canary = root / "share/mockgpu/canary.cpp";
    assembler_directory = root / "libexec/mockgpu";
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
      std::printf("%s: compiler driver of mockgpu %s\n", name_.c_str(), MOCKGPU_VERSION);
      return 0;
    default:
      break;
    }
    if (command_.sources.empty() && command_.link_inputs.empty())
      throw usage_error("no input files");
    if (command_.what == command::action::preprocess) return preprocess();
    if (!command_.sources.empty()) check_canary();
    if (command_.what == command::action::compile) return compile_only();
    return compile_and_link();
  }

private:
  int execute(std::vector<std::string> const& arguments) {
    if (command_.show_commands) {
      for (std::string const& argument : arguments) std::fprintf(stderr, "%s ", argument.c_str());
      std::fprintf(stderr, "\n");
    }
    return run_process(arguments, /*capture=*/false).exit_code;
  }

  std::vector<std::string> source_flags(source_file const& source) const {
    // The shim comes first: it also stands in front of a vendor's toolkit named with -I.
    std::vector<std::string> flags = {"-I" + here_.shim.string(), "-I" + here_.include.string(),
                                      "-D__MOCKGPU__=1"};
    if (kind_ == driver_kind::hipcc) append(flags, {"-D__HIP_PLATFORM_AMD__=1"});
    append(flags, {"-include", "string.h"});
    append(flags, command_.preprocess_flags);
    if (source.device)
      append(flags,
             {"-include", kind_ == driver_kind::hipcc ? "mockgpu/device.h" : "cuda_runtime.h"});
    return flags;
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

  /// Preprocesses a source file and turns what is not C++ into C++ (rewrite.hpp).
  int rewrite(source_file const& source, std::vector<std::string> const& code_flags,
              std::string const& object, std::string const& text) {
    std::vector<std::string> arguments = {compiler_};
    append(arguments, code_flags);
    append(arguments, source_flags(source));
    append(arguments, {"-DMOCKGPU_REWRITES", "-E", "-x", source.language, source.path, "-o", text});
    append(arguments, dependency_flags(source, object));
    if (int const failure = execute(arguments); failure != 0) return failure;
    std::string const rewritten = rewrite_source(read_file(text));
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

  int compile_and_link() {
    temporary_directory const objects;
    std::vector<std::string> arguments = {compiler_};
    append(arguments, command_.code_flags);
    append(arguments, command_.link_flags);
    int count = 0;
    for (source_file const& source : command_.sources) {
      std::string const object = (objects.path / (std::to_string(count++) + "-" +
                                                  fs::path(source.path).stem().string() + ".o"))
                                     .string();
      if (int const failure = compile(source, object); failure != 0) return failure;
      arguments.push_back(object);
    }
    append(arguments, command_.link_inputs);
    append(arguments,
           {(here_.libraries / "libmockgpu_hooks.a").string(),
            (here_.libraries / "libmockgpu.so").string(), "-Wl,-rpath," + here_.libraries.string(),
            "-o", command_.output.empty() ? "a.out" : command_.output});
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
    driver_kind const kind = name.ends_with("hipcc")  ? driver_kind::hipcc
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
