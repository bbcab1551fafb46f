#include "check/children.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/error.hpp"

extern char** environ;

namespace assay {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t kept_message_bytes = 4096;
constexpr std::size_t kept_output_bytes = std::size_t{1} << 20;
constexpr int result_descriptor = 3;

[[noreturn]] void fail(std::string const& what, int code) {
  throw error(errc::environment, what + ": " + std::strerror(code));
}

struct child {
  std::size_t index = 0;
  pid_t pid = -1;
  int results = -1, output = -1, messages = -1;
  clock::time_point start;
  std::string partial;
  child_outcome outcome;
  bool killed = false;
};

/// Both ends close when a program is executed; the child's copies are made by dup2.
struct pipe_pair {
  int read = -1, write = -1;
  pipe_pair() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
    read = ends[0];
    write = ends[1];
  }
};

void write_all(int descriptor, std::string const& text) {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return; // a child that died early shows so in its outcome
    done += static_cast<std::size_t>(count);
  }
}

/// The parent's variables, but for those that `ours` gives.
std::vector<char*> environment_of(std::vector<std::string> const& ours) {
  std::vector<char*> all;
  auto const is_ours = [&](std::string_view theirs) {
    std::string_view const name = theirs.substr(0, theirs.find('='));
    return std::ranges::any_of(ours, [&](std::string const& each) {
      return each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=';
    });
  };
  for (char** each = environ; *each != nullptr; ++each)
    if (!is_ours(*each)) all.push_back(*each);
  for (std::string const& each : ours) all.push_back(const_cast<char*>(each.c_str()));
  all.push_back(nullptr);
  return all;
}

child start(child_request const& request, std::size_t index) {
  std::vector<char*> argv;
  for (std::string const& argument : request.command)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> const variables = environment_of(request.environment);
  pipe_pair in, results, output, messages;
  // The descriptor may be the very number that dup2 is asked for; then it would stay
  // closed-on-exec.
  ASSAY_ASSERT(results.write != result_descriptor);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.write, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, results.write, result_descriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that a limit ends the child's own children too.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  child made;
  int const status =
      posix_spawnp(&made.pid, argv[0], &actions, &attributes, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in.read);
  close(results.write);
  close(output.write);
  close(messages.write);
  made.start = clock::now();
  if (status == 0) write_all(in.write, request.input);
  close(in.write);
  if (status != 0) {
    close(results.read);
    close(output.read);
    close(messages.read);
    fail("cannot run '" + request.command.front() + "'", status);
  }
  made.index = index;
  made.results = results.read;
  made.output = output.read;
  made.messages = messages.read;
  for (int const each : {made.results, made.output, made.messages})
    fcntl(each, F_SETFL, O_NONBLOCK);
  return made;
}

/// Reads what is there. Closes the descriptor at its end.
template <typename Consume> void drain(int& descriptor, Consume&& consume) {
  if (descriptor < 0) return;
  char buffer[16384];
  for (;;) {
    ssize_t const count = read(descriptor, buffer, sizeof buffer);
    if (count > 0) {
      consume(std::string_view(buffer, static_cast<std::size_t>(count)));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    close(descriptor);
    descriptor = -1;
    return;
  }
}

void drain(child& from) {
  drain(from.results, [&](std::string_view text) {
    from.partial += text;
    for (std::size_t end; (end = from.partial.find('\n')) != std::string::npos;) {
      from.outcome.lines.push_back(from.partial.substr(0, end));
      from.partial.erase(0, end + 1);
    }
  });
  drain(from.output, [&](std::string_view text) {
    std::string& kept = from.outcome.output;
    kept += text.substr(0, kept_output_bytes - kept.size());
  });
  drain(from.messages, [&](std::string_view text) {
    std::string& kept = from.outcome.messages;
    kept += text;
    if (kept.size() > kept_message_bytes) kept.erase(0, kept.size() - kept_message_bytes);
  });
}

std::uint64_t resident_bytes(pid_t pid) {
  std::FILE* const file = std::fopen(("/proc/" + std::to_string(pid) + "/statm").c_str(), "re");
  if (file == nullptr) return 0;
  unsigned long long total = 0, resident = 0;
  int const read = std::fscanf(file, "%llu %llu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void end(child& running, ending how) {
  kill(-running.pid, SIGKILL);
  running.outcome.how = how;
  running.killed = true;
}

/// True when the child is gone; then its outcome is complete.
bool reap(child& running, child_limits const& limits) {
  int status = 0;
  rusage used = {};
  pid_t const gone = wait4(running.pid, &status, WNOHANG, &used);
  if (gone == 0 || (gone < 0 && errno == EINTR)) return false;
  // What the child started must not outlive it, nor hold its pipes open.
  kill(-running.pid, SIGKILL);
  drain(running);
  for (int const each : {running.results, running.output, running.messages})
    if (each >= 0) close(each);
  running.outcome.seconds = std::chrono::duration<double>(clock::now() - running.start).count();
  if (!running.partial.empty()) running.outcome.lines.push_back(running.partial);
  if (!running.killed) {
    running.outcome.how = WIFSIGNALED(status) ? ending::signalled : ending::exited;
    running.outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    // A short run may end between two looks at its size; its peak does not depend on them.
    if (limits.resident_bytes != 0 &&
        static_cast<std::uint64_t>(used.ru_maxrss) * 1024 > limits.resident_bytes)
      running.outcome.how = ending::out_of_memory;
  }
  return true;
}

/// Whatever still runs when an exception passes is ended.
struct child_group {
  std::vector<child> running;
  child_group() = default;
  child_group(child_group const&) = delete;
  child_group& operator=(child_group const&) = delete;
  ~child_group() {
    for (child& each : running) {
      kill(-each.pid, SIGKILL);
      while (!reap(each, {})) usleep(1000);
    }
  }
};

} // namespace

void run_children(std::vector<child_request> const& requests, unsigned jobs,
                  child_limits const& limits,
                  std::function<void(std::size_t, child_outcome)> const& on_end) {
  ASSAY_ASSERT(jobs > 0);
  std::signal(SIGPIPE, SIG_IGN); // a child that dies before it reads its input
  child_group group;
  std::vector<child>& running = group.running;
  std::size_t next = 0;
  while (next < requests.size() || !running.empty()) {
    while (running.size() < jobs && next < requests.size()) {
      running.push_back(start(requests[next], next));
      ++next;
    }
    std::vector<pollfd> watched;
    for (child const& each : running)
      for (int descriptor : {each.results, each.output, each.messages})
        if (descriptor >= 0) watched.push_back({descriptor, POLLIN, 0});
    // A child whose pipes are closed is about to exit: look again at once.
    poll(watched.data(), watched.size(), watched.size() == 3 * running.size() ? 20 : 1);
    for (child& each : running) {
      drain(each);
      if (each.killed) continue;
      if (clock::now() - each.start > limits.time)
        end(each, ending::timed_out);
      else if (limits.resident_bytes != 0 && resident_bytes(each.pid) > limits.resident_bytes)
        end(each, ending::out_of_memory);
    }
    for (std::size_t i = running.size(); i-- > 0;)
      if (reap(running[i], limits)) {
        std::size_t const index = running[i].index;
        child_outcome outcome = std::move(running[i].outcome);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        on_end(index, std::move(outcome));
      }
  }
}

} // namespace assay
