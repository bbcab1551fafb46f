#include "program/process.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/error.hpp"

extern char** environ;

namespace assay {
namespace {

[[noreturn]] void fail(std::string const& what, int code) {
  throw error(errc::environment, what + ": " + std::strerror(code));
}

} // namespace

command_result run_command(std::vector<std::string> const& arguments,
                           std::filesystem::path const& working_directory) {
  ASSAY_ASSERT(!arguments.empty());
  int pipe_ends[2];
  // Close-on-exec: a child that another thread starts meanwhile must not hold our pipe open.
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);

  std::vector<char*> argv;
  for (std::string const& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  if (!working_directory.empty())
    posix_spawn_file_actions_addchdir_np(&actions, working_directory.c_str());
  pid_t child = -1;
  int const status = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (status != 0) {
    close(pipe_ends[0]);
    fail("cannot run '" + arguments[0] + "'", status);
  }

  command_result result;
  char buffer[4096];
  for (;;) {
    ssize_t const count = read(pipe_ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    result.output.append(buffer, static_cast<std::size_t>(count));
  }
  close(pipe_ends[0]);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code =
      WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  return result;
}

} // namespace assay
