#pragma once
/// \file The one engine of the process, made at the first runtime call.
#include <functional>
#include <mutex>

#include "device/engine.hpp"

namespace mockgpu {

/// Serialises runtime calls of several host threads.
[[nodiscard]] std::recursive_mutex& call_guard() noexcept;
/// \throws std::bad_alloc if the address space is not to be had.
[[nodiscard]] engine& the_engine();
/// The engine, or null before the first call.
[[nodiscard]] engine* existing_engine() noexcept;
/// Whether there has been one; needs no guard.
[[nodiscard]] bool engine_exists() noexcept;

/// Engines made from now on are recorded by `by`, for an exploration; null: no longer.
void record_runs(run_recorder* by);

} // namespace mockgpu
