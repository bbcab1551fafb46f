#include "device/order_server.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order/process_memory.hpp"
#include "schedule/exploration.hpp"
#include "schedule/trace_stream.hpp"

namespace mockgpu {
namespace {

enum class message : std::uint64_t { point, known_finding, end };

void write_all(int to, void const* data, std::size_t size_bytes) {
  auto const* next = static_cast<char const*>(data);
  while (size_bytes != 0) {
    ssize_t const written = write(to, next, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return; // the planner is gone: nothing is left to be told
    next += written;
    size_bytes -= std::size_t(written);
  }
}

/// False at the end of the connection.
bool read_all(int from, void* data, std::size_t size_bytes) {
  auto* next = static_cast<char*>(data);
  while (size_bytes != 0) {
    ssize_t const got = read(from, next, size_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    size_bytes -= std::size_t(got);
  }
  return true;
}

void send(int to, message kind, void const* data, std::size_t size_bytes) {
  std::uint64_t const head[] = {std::uint64_t(kind), size_bytes};
  write_all(to, head, sizeof head);
  write_all(to, data, size_bytes);
}

struct end_of_run {
  std::uint64_t redundant, operations, accesses;
};

std::size_t thread_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] auto const& one : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

struct child_outcome {
  run_trace trace;
  std::optional<end_of_run> end;
  int status = 0;
};

/// Reads what a child says until it ends.
child_outcome listen(pid_t child, int connection, std::set<std::string>& known) {
  child_outcome result;
  std::uint64_t head[2];
  while (read_all(connection, head, sizeof head)) {
    std::vector<std::uint64_t> data((head[1] + 7) / 8);
    if (!read_all(connection, data.data(), head[1])) break;
    switch (message(head[0])) {
    case message::point:
      result.trace.points.push_back(point_of(data));
      break;
    case message::known_finding:
      known.emplace(reinterpret_cast<char const*>(data.data()), head[1]);
      break;
    case message::end:
      result.end.emplace();
      std::memcpy(&*result.end, data.data(), sizeof(end_of_run));
      break;
    }
  }
  while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
  }
  result.trace.cut = !result.end;
  result.trace.redundant = result.end && result.end->redundant != 0;
  return result;
}

} // namespace

order_child::order_child(run_plan plan, std::set<std::string> known, int connection)
    : connection_(connection), known_(std::move(known)),
      recorder_(std::move(plan), [connection](trace_point const& one) {
        std::vector<std::uint64_t> const numbers = to_numbers(one);
        send(connection, message::point, numbers.data(), numbers.size() * sizeof(std::uint64_t));
      }) {}

bool order_child::is_new(finding const& one) {
  std::string const name = identity(one);
  if (!known_.insert(name).second) return false;
  send(connection_, message::known_finding, name.data(), name.size());
  return true;
}

void order_child::finished(statistics const& seen) {
  end_of_run const end{recorder_.redundant() ? 1u : 0u, seen.operations, seen.accesses};
  send(connection_, message::end, &end, sizeof end);
}

std::unique_ptr<order_child> serve_orders(options const& chosen,
                                          std::function<void(covered_orders const&)> const& tell) {
  exploration all;
  covered_orders seen;
  auto const fail = [&](std::string what, int exit_code) {
    seen.orders = all.orders();
    seen.redundant_runs = all.redundant();
    seen.problem = std::move(what);
    tell(seen);
    end_process(exit_code);
  };
  if (thread_count() != 1)
    fail("schedule exhaustive: the program has several threads at its first runtime call", 2);
  std::set<std::string> known;
  int exit_code = 0, signal_number = 0;
  bool first = true;
  while (std::optional<run_plan> plan = all.next()) {
    if (all.orders() >= chosen.max_orders)
      fail("more than " + std::to_string(chosen.max_orders) +
               " orders: the exploration is not complete",
           2);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("schedule exhaustive: no pipe to be had", 4);
    std::fflush(nullptr); // or else a child would write it again
    pid_t const child = fork();
    if (child < 0) fail("schedule exhaustive: no process to be had", 4);
    if (child == 0) {
      close(ends[0]);
      if (!first)
        if (int const nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
          dup2(nowhere, STDOUT_FILENO);
          close(nowhere);
        }
      return std::make_unique<order_child>(std::move(*plan), std::move(known), ends[1]);
    }
    close(ends[1]);
    child_outcome outcome = listen(child, ends[0], known);
    close(ends[0]);
    first = false;
    if (outcome.end) {
      seen.operations += outcome.end->operations;
      seen.accesses += outcome.end->accesses;
    }
    if (WIFEXITED(outcome.status) && exit_code == 0) exit_code = WEXITSTATUS(outcome.status);
    if (WIFSIGNALED(outcome.status) && signal_number == 0) signal_number = WTERMSIG(outcome.status);
    try {
      all.absorb(std::move(outcome.trace));
    } catch (std::runtime_error const& problem) {
      fail(problem.what(), nondeterministic_exit_code);
    }
  }
  seen.orders = all.orders();
  seen.redundant_runs = all.redundant();
  tell(seen);
  if (signal_number != 0 && exit_code == 0) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
  end_process(exit_code);
}

} // namespace mockgpu
