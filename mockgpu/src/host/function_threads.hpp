#pragma once
/// \file The threads that host functions run on. The vendors run them beside the program's threads,
/// so that one may wait for what the program has still to do; the mock goes on without such a one.
#include <cstdint>
#include <functional>

namespace mockgpu {

/// Runs `body` on a thread of its own and waits until it has ended, has said that it waits for
/// something (`host_function_waits`), or has taken a second: one that waits in a way that nobody
/// sees must not stop the program. \returns whether it has ended; if not, `later` is called on that
/// thread when it has.
[[nodiscard]] bool run_beside(std::function<void()> body, std::function<void()> later);

/// Whether the calling thread runs a host function.
[[nodiscard]] bool in_host_function() noexcept;
/// The calling host function is about to wait for something outside of it.
void host_function_waits() noexcept;

/// How many have ended late so far.
[[nodiscard]] std::uint64_t late_ends() noexcept;
/// Waits until there are more than `seen`. \returns false after `at_most_ms`; 0 is no limit.
bool wait_for_late_end(std::uint64_t seen, unsigned at_most_ms) noexcept;

} // namespace mockgpu
