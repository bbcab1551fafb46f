#include "order/thread_order.hpp"

#include <algorithm>

#include "mockgpu/abi.h"
#include "order/thread_cells.hpp"
#include "order/thread_order_state.hpp"

namespace mockgpu {
thread_view grid_view;
}

namespace mockgpu::thread_order {
namespace {

// So many slots are kept for warp barriers and fences of one phase.
constexpr thread_slot reserve = thread_slot{1} << 22;

void show_clock() {
  grid_view.irregular = now().clock.irregular();
  grid_view.interleaved = now().clock.interleaved();
  if (grid_view.irregular || grid_view.interleaved) grid_view.atomics_alone = false;
  grid_view.joinable_begin = grid_view.irregular ? ~thread_cell{0} : grid_view.phase_begin;
}

void show() {
  state const& all = now();
  grid_view.block_begin = make_cell(all.slots.block_begin(), cell_kind::none);
  grid_view.phase_begin = make_cell(all.slots.phase_begin(), cell_kind::none);
  show_clock();
  switch_thread();
}

std::uint64_t running_block() {
  auto const& self = mockgpu_indices;
  return self.block[0] + std::uint64_t{self.grid_dim[0]} *
                             (self.block[1] + std::uint64_t{self.grid_dim[1]} * self.block[2]);
}

/// What the running thread does now is no longer what it did before.
void show_orders() {
  grid_view.atomics_alone = false;
  show_clock();
  mockgpu_indices.slot = now().clock.slot_of(running_thread());
}

/// Begins the numbers again when they run out. What the running kernel did so far is then of the
/// past, so that a race with it may be missed; none is made up.
void keep_room() {
  state& all = now();
  if (all.slots.next() + all.slots.threads_per_block() + reserve < slot_limit) return;
  all.checked_by->slots_restart();
  all.clock.grid_barrier();
  all.slots.begin_grid(all.slots.threads_per_block(), 1);
  all.copier_slots.clear();
  grid_view.past_end = make_cell(1, cell_kind::none);
}

/// The block before has been suspended, or is over.
void leave_ended_block() {
  state& all = now();
  if (all.in_block) all.copies.end_block(all.slots.block());
  all.in_block = true;
}

} // namespace

state& now() noexcept {
  static state& all = *new state; // kernels may run while the process ends
  return all;
}

void order_changes() { now().checked_by->order_changes(); }

bool in_shared_memory(std::uintptr_t address) noexcept {
  for (state::range const& one : now().shared)
    if (address - one.begin < one.size_bytes) return true;
  return false;
}

unsigned running_thread() noexcept {
  auto const& self = mockgpu_indices;
  return self.thread[0] + self.block_dim[0] * (self.thread[1] + self.block_dim[1] * self.thread[2]);
}

void begin_grid(unsigned threads_per_block) {
  state& all = now();
  all.in_grid = all.checked_by != nullptr;
  if (!all.in_grid) return;
  thread_slot const first = all.slots.next() == 0 ? 1 : all.slots.next();
  all.slots.begin_grid(threads_per_block, first);
  all.clock.begin_grid();
  all.copies.begin_grid();
  all.copier_slots.clear();
  all.in_block = false;
  grid_view.past_end = make_cell(first, cell_kind::none);
  grid_view.active = grid_view.atomics_alone = true;
  all.checked_by->grid_begins();
}

void end_grid() {
  state& all = now();
  grid_view.active = false;
  if (all.in_grid) all.checked_by->grid_ends();
  for (record_range& one : grid_view.shared) one = {};
  all.in_grid = false;
  all.shared.clear();
}

void begin_block() {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  leave_ended_block();
  keep_room();
  all.clock.begin_block();
  all.slots.begin_block(running_block());
  all.checked_by->block_begins();
  show();
}

block_token suspend_block() {
  state& all = now();
  if (!all.in_grid) return 0;
  order_changes();
  block_token const token = all.clock.suspend_block();
  all.in_block = false;
  show_clock();
  all.checked_by->block_suspended(token);
  return token;
}

void resume_block(block_token token) {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  leave_ended_block();
  all.clock.resume_block(token);
  keep_room();
  all.slots.begin_block(running_block());
  all.checked_by->block_resumed(token);
  show();
  if (all.copies.goes_on(all.slots.block())) carry_copies_over();
}

void switch_thread() {
  state const& all = now();
  if (!all.in_grid) return;
  unsigned const thread = running_thread();
  mockgpu_indices.slot = all.clock.slot_of(thread);
  mockgpu_indices.fresh_slot = all.slots.phase_begin() + thread;
  order_changes();
}

void block_barrier() {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  all.checked_by->block_meets();
  all.clock.block_barrier();
  keep_room();
  all.slots.begin_phase();
  show();
  carry_copies_over();
}

void grid_barrier() {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  all.checked_by->grid_meets();
  all.clock.grid_barrier();
  all.copies.grid_meets();
  all.slots.forget_past();
  grid_view.past_end = make_cell(all.slots.next(), cell_kind::none);
  grid_view.joinable_begin = std::max(grid_view.joinable_begin, grid_view.past_end);
}

void warp_barrier(unsigned first_thread, std::uint64_t lanes) {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  all.clock.warp_barrier(first_thread, lanes);
  show_clock();
  switch_thread();
}

memory_order order_of(int order) noexcept {
  switch (order) {
  case __ATOMIC_RELAXED:
    return {};
  case __ATOMIC_CONSUME:
  case __ATOMIC_ACQUIRE:
    return {.acquires = true};
  case __ATOMIC_RELEASE:
    return {.releases = true};
  default:
    return both_ways;
  }
}

void fence(fence_scope scope, memory_order order) {
  state& all = now();
  if (!all.in_grid || !(order.acquires || order.releases)) return;
  order_changes();
  all.clock.fence(running_thread(), scope, order);
  show_orders();
}

void atomic(std::uintptr_t address, fence_scope scope, memory_order order, bool writes) {
  state& all = now();
  all.clock.atomic(running_thread(), {address, in_shared_memory(address)}, scope, order, writes);
  if (order.acquires || order.releases) show_orders();
}

void acquire() {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  all.clock.acquire(running_thread());
}

bool read_plainly(std::uintptr_t address, std::size_t size_bytes) {
  state const& all = now();
  return all.in_grid && all.checked_by->read_plainly(address, size_bytes);
}

void shared_memory(void* begin, std::size_t size_bytes) {
  auto const address = reinterpret_cast<std::uintptr_t>(begin);
  state& all = now();
  auto const known = std::find_if(all.shared.begin(), all.shared.end(),
                                  [&](auto const& one) { return one.begin == address; });
  if (known != all.shared.end())
    known->size_bytes = size_bytes;
  else
    all.shared.push_back({address, size_bytes});
  if (all.in_grid) all.checked_by->shared_memory(address, size_bytes);
}

} // namespace mockgpu::thread_order
