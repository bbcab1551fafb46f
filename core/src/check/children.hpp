#pragma once
/// \file Child processes with limits, several at a time.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay {

enum class ending : std::uint8_t { exited, signalled, timed_out, out_of_memory };

struct child_outcome {
  assay::ending how = ending::exited;
  int code = 0;                   ///< exit code or signal number
  std::vector<std::string> lines; ///< written to descriptor 3, torn last line included
  std::string output;             ///< the first bytes (1 MiB) of standard output
  std::string messages;           ///< the last bytes of standard error
  double seconds = 0;             ///< from start to end
};

/// What to start. Paths of `command[0]` are looked up in PATH.
struct child_request {
  std::vector<std::string> command;
  std::string input;                    ///< on standard input
  std::vector<std::string> environment; ///< NAME=VALUE, before the parent's of the same name
};

struct child_limits {
  std::chrono::milliseconds time{60'000};
  std::uint64_t resident_bytes = 0; ///< resident: address-space limits break large reservations
};

/// Runs all requests, at most `jobs` at a time, and hands every outcome over as it comes, with the
/// request's index. A child over a limit is killed; what it wrote is kept.
/// \throws error{environment} if a child cannot be started.
void run_children(std::vector<child_request> const&, unsigned jobs, child_limits const&,
                  std::function<void(std::size_t, child_outcome)> const& on_end);

} // namespace assay
