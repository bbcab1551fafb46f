#include "fuzz_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay::tool {

worker_process start_worker(std::function<void(int)> const& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw error(errc::environment, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr); // else the child writes it again
  pid_t const parent = getpid();
  pid_t const child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw error(errc::environment, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (child > 0) {
    close(ends[1]);
    return {child, ends[0]};
  }
  close(ends[0]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  // Aborts speak on standard error, which belongs to the campaign's progress.
  if (int const nothing = open("/dev/null", O_WRONLY | O_CLOEXEC); nothing >= 0)
    dup2(nothing, STDERR_FILENO);
  work(ends[1]);
  _exit(0);
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t const count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1); // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 70) return "ended by the checker: the access cannot be carried out";
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}", WEXITSTATUS(status));
}

isolated_result isolated(std::function<std::string()> const& work,
                         std::chrono::milliseconds limit) {
  worker_process const child =
      start_worker([&](int descriptor) { write_all(descriptor, work() + "\n."); });
  isolated_result result;
  auto const end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{child.descriptor, POLLIN, 0};
    int const count = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) {
      result.death = fmt::format("no end after {} ms", limit.count());
      kill(child.process, SIGKILL);
      break;
    }
    std::array<char, 65536> buffer;
    ssize_t const size = read(child.descriptor, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    result.text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  close(child.descriptor);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  bool const is_whole = result.text.ends_with("\n.");
  if (is_whole) result.text.resize(result.text.size() - 2);
  if (!is_whole && result.death.empty()) {
    result.death = ending_of(status);
    if (result.death.empty()) result.death = "the process ended by itself";
  }
  return result;
}

} // namespace assay::tool
