#include "assay/build.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "program/file_lock.hpp"
#include "program/hash.hpp"
#include "program/process.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Lists every input unambiguously: each part is preceded by its length.
std::string inputs_text(std::span<generated_file const> files, toolchain const& tools) {
  std::string text;
  auto const add = [&](std::string_view part) {
    text += fmt::format("{}:{}\n", part.size(), part);
  };
  for (auto const* command :
       {&tools.host_compiler, &tools.device_compiler, &tools.linker, &tools.flags}) {
    add(std::to_string(command->size()));
    for (std::string const& part : *command) add(part);
  }
  for (fs::path const& directory : tools.include_directories) add(directory.string());
  add(tools.identity);
  for (generated_file const& file : files) {
    add(file.path);
    add(file.text);
  }
  return text;
}

std::string read_text(fs::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

void write_text(fs::path const& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  if (!stream) throw error(errc::environment, "cannot be written", {}, file.string());
}

/// The compiler's first error; where there is none, the linker's first line: drivers only add that
/// it has failed.
std::string first_error_line(std::string const& output) {
  std::istringstream lines(output);
  std::string line, first, of_linker, last_word;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    if (first.empty()) first = line;
    bool const is_drivers = line.find("ld returned") != std::string::npos ||
                            line.find("linker command failed") != std::string::npos;
    if (is_drivers)
      last_word = line;
    else if (line.find("error") != std::string::npos)
      return line;
    else if (of_linker.empty() && line.find("ld: ") != std::string::npos)
      of_linker = line;
  }
  for (std::string const& best : {of_linker, last_word, first})
    if (!best.empty()) return best;
  return "no message";
}

void run_step(std::vector<std::string> const& command, fs::path const& directory,
              std::string const& what) {
  command_result const result = run_command(command, directory);
  if (result.exit_code != 0)
    throw error(errc::environment, what + " failed: " + first_error_line(result.output));
}

void make_directories(fs::path const& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure)
    throw error(errc::environment, "cannot make the folder: " + failure.message(), {},
                directory.string());
}

/// Removes the folder on every way out.
struct scratch_directory {
  fs::path path;
  explicit scratch_directory(fs::path p) : path(std::move(p)) { make_directories(path); }
  scratch_directory(scratch_directory const&) = delete;
  scratch_directory& operator=(scratch_directory const&) = delete;
  ~scratch_directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// Folders that a build which was killed has left. A day old: the builder may be on another machine
/// that shares the cache.
void remove_abandoned_builds(fs::path const& cache) {
  std::error_code failure;
  auto const long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (auto const& entry : fs::directory_iterator(cache, failure)) {
    if (!entry.path().filename().string().starts_with(".building-")) continue;
    auto const made = entry.last_write_time(failure);
    if (!failure && made < long_ago) fs::remove_all(entry.path(), failure);
  }
}

bool is_header(std::string const& path) { return path.ends_with(".h") || path.ends_with(".hpp"); }

} // namespace

std::string library_key(std::span<generated_file const> files, toolchain const& tools) {
  return hash_text(inputs_text(files, tools));
}

void write_files(std::span<generated_file const> files, fs::path const& directory) {
  for (generated_file const& file : files) {
    fs::path const path = directory / file.path;
    make_directories(path.parent_path());
    write_text(path, file.text);
  }
}

built_library build(std::span<generated_file const> files, std::string const& name,
                    toolchain const& tools, fs::path const& cache) {
  std::string const inputs = inputs_text(files, tools);
  std::string const key = hash_text(inputs);
  fs::path const folder = fs::absolute(cache) / key;
  fs::path const library = folder / ("lib" + name + ".so");
  auto const is_built = [&] {
    return fs::exists(library) && read_text(folder / "inputs") == inputs;
  };
  if (is_built()) return {library, key, true};

  make_directories(fs::absolute(cache)); // an error names what the user gave, not what lies in it
  remove_abandoned_builds(cache);
  // Whoever wants the same library waits for the one that builds it.
  file_lock const building(fs::absolute(cache) / fmt::format(".building-{}.lock", key));
  if (is_built()) return {library, key, true};
  static std::atomic<unsigned> counter{0};
  scratch_directory const aside(fs::absolute(cache) /
                                fmt::format(".building-{}-{}-{}", key, getpid(), counter++));
  write_files(files, aside.path);
  write_text(aside.path / "inputs", inputs);

  // Names are relative to the working directory, so that messages and debug information do not
  // depend on it.
  std::vector<std::string> link = tools.linker;
  // Side by side: most of each is reading headers. A future waits where it ends, so that none
  // outlives the folder.
  std::vector<std::future<void>> compilations;
  for (generated_file const& file : files) {
    if (is_header(file.path)) continue;
    bool const is_host = file.path.starts_with("src/cpu/");
    std::vector<std::string> compile = is_host ? tools.host_compiler : tools.device_compiler;
    compile.insert(compile.end(), tools.flags.begin(), tools.flags.end());
    compile.push_back("-Iinclude");
    for (fs::path const& directory : tools.include_directories)
      compile.push_back("-I" + directory.string());
    std::string const object = fs::path(file.path).filename().string() + ".o";
    compile.insert(compile.end(), {"-c", file.path, "-o", object});
    compilations.push_back(std::async(std::launch::async, [&aside, compile, path = file.path] {
      run_step(compile, aside.path, "compiling " + path);
    }));
    link.push_back(object);
  }
  for (std::future<void>& one : compilations) one.get();
  link.insert(link.end(), {"-shared", "-o", library.filename().string()});
  run_step(link, aside.path, "linking " + library.filename().string());

  std::error_code failure;
  fs::rename(aside.path, folder, failure);
  if (failure && !is_built())
    throw error(errc::environment, "cannot put the built library in place: " + failure.message(),
                {}, folder.string());
  return {library, key, false};
}

} // namespace assay
