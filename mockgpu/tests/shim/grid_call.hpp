#pragma once
/// \file Runs a kernel of a test on a grid, without the engine.
#include <array>
#include <string>
#include <vector>

#include "cuda_runtime.h"
#include "kernel/kernel_call.hpp"

namespace mockgpu::tests {

/// What a grid said.
struct grid_record final : grid_listener {
  std::vector<std::string> divergences;
  grid_end why = grid_end::none;
  std::string end_message;

  void barrier_divergence(std::string const& message) override { divergences.push_back(message); }
  void ended(grid_end reason, std::string const& message) override {
    why = reason;
    end_message = message;
  }
};

struct grid_shape {
  dim3 grid;
  dim3 block;
  unsigned warp_size = 32;
  bool cooperative = false;
  block_order order = {};
};

/// A call as the engine makes it.
template <class... Parameters>
grid_record run(void (*kernel)(Parameters...), grid_shape shape, Parameters... values) {
  using layout = mockgpu_shim::closure_layout<Parameters...>;
  std::array<void*, sizeof...(Parameters)> addresses = {&values...};
  mockgpu_launch launch{};
  launch.grid[0] = shape.grid.x, launch.grid[1] = shape.grid.y, launch.grid[2] = shape.grid.z;
  launch.block[0] = shape.block.x, launch.block[1] = shape.block.y, launch.block[2] = shape.block.z;
  launch.entry = reinterpret_cast<void (*)()>(kernel);
  launch.run_block = &mockgpu_shim::run_block<Parameters...>;
  launch.arguments = addresses.data();
  launch.layout = layout::value.entries;
  launch.argument_count = sizeof...(Parameters);
  launch.closure_bytes = layout::value.entries[layout::count].offset;
  auto call = copy_launch(launch);
  call.warp_size = shape.warp_size;
  call.cooperative = shape.cooperative;
  call.order = shape.order;
  ((values = Parameters{}), ...); // the call has its own copy
  grid_record record;
  run_grid(call, record);
  return record;
}

template <class... Parameters>
grid_record run(void (*kernel)(Parameters...), dim3 grid, dim3 block, Parameters... values) {
  return run(kernel, grid_shape{.grid = grid, .block = block}, values...);
}

} // namespace mockgpu::tests
