#include "thread_script.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "mockgpu/abi.h"

namespace mockgpu::tests {
namespace {

using body_function = std::function<void(device_thread const&)>;

void entry() {}

/// One block, as the shim's loop runs it.
void run_block(void (*)(), void* closure) {
  body_function const* body = nullptr;
  std::memcpy(&body, closure, sizeof body);
  mockgpu_index_state& self = mockgpu_indices;
  unsigned const loop = self.loop;
  while (true) {
    (*body)({self.block[0], self.thread[0]});
    if (self.loop != loop) return;
    self.slot = ++self.fresh_slot;
    if (++self.thread[0] >= self.block_dim[0]) return;
  }
}

} // namespace

options with_threads() {
  options chosen;
  chosen.checked = checking_depth::threads;
  return chosen;
}

void device_thread::barrier() { mockgpu_block_barrier(1, __FILE__, __LINE__); }

void run_threads(unsigned blocks, unsigned threads, body_function body) {
  body_function const* const pointer = &body;
  void const* arguments[] = {&pointer};
  mockgpu_argument const layout[] = {{0, sizeof pointer}};
  mockgpu_launch launch{};
  launch.entry_point = "cudaLaunchKernel";
  launch.text = "scripted_kernel";
  launch.file = "scripted.cu";
  launch.line = 1;
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.entry = entry;
  launch.run_block = run_block;
  launch.arguments = const_cast<void* const*>(arguments);
  launch.layout = layout;
  launch.argument_count = 1;
  launch.closure_bytes = sizeof pointer;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

std::vector<finding> of_kind(std::vector<finding> const& all, char const* kind) {
  std::vector<finding> result;
  for (finding const& one : all)
    if (one.kind == kind) result.push_back(one);
  return result;
}

} // namespace mockgpu::tests
