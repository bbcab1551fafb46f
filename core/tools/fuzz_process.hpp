#pragma once
/// \file Work in a process of its own: the mock is one per process, and a case may end it.
#include <chrono>
#include <functional>
#include <string>
#include <sys/types.h>

namespace assay::tool {

/// A forked child that runs `work` with a descriptor to write to; it ends with the parent and
/// leaves interrupts of the terminal to it. The caller owns `descriptor` and waits for `process`.
struct worker_process {
  pid_t process = 0;
  int descriptor = -1; ///< what the child writes
};
/// \throws error{environment}
[[nodiscard]] worker_process start_worker(std::function<void(int descriptor)> const& work);
void write_all(int descriptor, std::string_view text);
/// How a child ended, for people: "signal 11 (Segmentation fault)", or empty after exit code 0.
[[nodiscard]] std::string ending_of(int wait_status);

struct isolated_result {
  std::string text;  ///< what the work returned
  std::string death; ///< how the process ended before that, or empty
};
[[nodiscard]] isolated_result isolated(std::function<std::string()> const& work,
                                       std::chrono::milliseconds limit);

} // namespace assay::tool
