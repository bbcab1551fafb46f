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
  std::string messages;           ///< the last bytes of standard output and error
};

struct child_limits {
  std::chrono::milliseconds time{60'000};
  std::uint64_t resident_bytes = 0; ///< resident: address-space limits break large reservations
};

/// Runs `command` once for each input (on standard input), at most `jobs` at a time, and hands
/// every outcome over as it comes, with the input's index. A child over a limit is killed; what it
/// wrote is kept. \throws error{environment} if a child cannot be started.
void run_children(std::vector<std::string> const& command, std::vector<std::string> const& inputs,
                  unsigned jobs, child_limits const&,
                  std::function<void(std::size_t, child_outcome)> const& on_end);

} // namespace assay
