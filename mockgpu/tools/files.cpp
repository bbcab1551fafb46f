#include "files.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace mockgpu::tools {

std::string read_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path.string() + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

void hash::add(std::string_view bytes) noexcept {
  for (char const c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
}

std::string hash::hexadecimal() const {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value_));
  return text;
}

process_result run_process(std::vector<std::string> const& arguments, bool capture) {
  std::vector<char*> argv;
  for (std::string const& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (capture && pipe(ends) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (capture) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
  }
  pid_t child = 0;
  int const failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  process_result result;
  if (capture) {
    close(ends[1]);
    std::array<char, 65536> block;
    if (failure == 0)
      for (ssize_t count; (count = read(ends[0], block.data(), block.size())) > 0;)
        result.output.append(block.data(), static_cast<std::size_t>(count));
    close(ends[0]);
  }
  if (failure != 0)
    throw std::runtime_error("cannot run '" + arguments.front() + "': " + std::strerror(failure));
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

} // namespace mockgpu::tools
