#include "order/async_copies.hpp"

#include <algorithm>
#include <utility>

#include "mockgpu/abi.h"
#include "order/thread_order_state.hpp"

namespace mockgpu {

std::vector<async_copies::copy> async_copies::take(issuer const& by, std::size_t keep) {
  std::vector<copy> done;
  auto const found = pending_.find(by);
  if (found == pending_.end()) return done;
  std::deque<copy>& all = found->second;
  auto batches = std::size_t(
      std::count_if(all.begin(), all.end(), [](copy const& one) { return one.ends_batch; }));
  for (; batches > keep; --batches)
    for (bool ends = false; !ends; all.pop_front()) {
      ends = all.front().ends_batch;
      if (!ends) done.push_back(all.front());
    }
  if (all.empty()) pending_.erase(found);
  return done;
}

namespace thread_order {
namespace {

async_copies::issuer running_issuer(void const* owner) {
  return {{now().slots.block(), running_thread()}, owner};
}

/// The slot of a thread's copies since the last barrier of its block.
thread_slot copier_slot(unsigned thread) {
  state& all = now();
  if (all.copier_slots.size() <= thread) all.copier_slots.resize(thread + std::size_t{1});
  thread_slot& slot = all.copier_slots[thread];
  if (slot < all.slots.phase_begin() && all.slots.next() + 1 < slot_limit)
    slot = all.slots.hand_out(first_copier + thread, 1);
  return slot;
}

/// Tells of a copy as a write and a read in a slot.
void touch(async_copies::copy const& one, thread_slot slot, bool completes) {
  state& all = now();
  unsigned const own = std::exchange(mockgpu_indices.slot, slot);
  all.copying = !completes;
  all.checked_by->copies(one.to, one.size_bytes, /*write=*/true, one.return_address, completes);
  all.checked_by->copies(one.from, one.size_bytes, /*write=*/false, one.return_address, completes);
  order_changes();
  all.copying = false;
  mockgpu_indices.slot = own;
}

} // namespace

void begin_copy(void const* owner, async_copies::copy const& one) {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  all.copies.add(running_issuer(owner), one);
  mockgpu_indices.slot = copier_slot(running_thread());
  all.copying = true;
}

void end_copy() {
  state& all = now();
  if (!all.in_grid) return;
  order_changes();
  mockgpu_indices.slot = all.clock.slot_of(running_thread());
  all.copying = false;
}

void commit_copies(void const* owner) {
  if (now().in_grid) now().copies.commit(running_issuer(owner));
}

void complete_copies(void const* owner, std::size_t keep) {
  state& all = now();
  if (!all.in_grid || all.copies.empty()) return;
  order_changes();
  for (async_copies::copy const& one : all.copies.take(running_issuer(owner), keep))
    touch(one, mockgpu_indices.slot, /*completes=*/true);
}

void carry_copies_over() {
  state& all = now();
  if (all.copies.empty()) return;
  for (auto const& [by, copies] : all.copies.pending())
    if (by.who.block == all.slots.block())
      for (async_copies::copy const& one : copies)
        if (!one.ends_batch) touch(one, copier_slot(by.who.thread), /*completes=*/false);
}

} // namespace thread_order
} // namespace mockgpu
