#include "order/thread_order.hpp"

#include "mockgpu/abi.h"

namespace mockgpu::thread_order {
namespace {

bool in_grid = false;
unsigned threads_per_block = 0;
unsigned first_slot = 0; // of the block's first thread since its last barrier

unsigned linear_thread() {
  auto const& self = mockgpu_indices;
  return self.thread[0] +
         self.block_dim[0] * (self.thread[1] + self.block_dim[1] * self.thread[2]);
}

void new_slots() {
  first_slot += threads_per_block;
  mockgpu_indices.slot = first_slot + linear_thread();
}

} // namespace

void begin_grid(unsigned threads) {
  in_grid = true;
  threads_per_block = threads;
}

void end_grid() { in_grid = false; }

void begin_block() {
  if (in_grid) new_slots();
}

void switch_thread() {
  if (in_grid) mockgpu_indices.slot = first_slot + linear_thread();
}

void block_barrier() {
  if (in_grid) new_slots();
}

void grid_barrier() {}
void warp_barrier(unsigned, std::uint64_t) {}
void fence(fence_scope) {}
void shared_memory(void*, std::size_t) {}

} // namespace mockgpu::thread_order
