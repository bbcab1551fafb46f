#pragma once
/// \file Points of a run as numbers, to hand them from one process to another.
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/run_trace.hpp"

namespace mockgpu {

[[nodiscard]] std::vector<std::uint64_t> to_numbers(trace_point const&);
[[nodiscard]] trace_point point_of(std::span<std::uint64_t const>);

} // namespace mockgpu
