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
  while (!all.empty() && all.front().ends_batch) all.pop_front();
  if (all.empty()) pending_.erase(found);
  return done;
}

void async_copies::commit(issuer const& by) {
  // The oldest batch without copies is never one that somebody waits for.
  if (auto const found = pending_.find(by); found != pending_.end())
    found->second.push_back({.ends_batch = true});
}

void async_copies::grid_meets() {
  for (auto const& one : pending_) met_.insert(one.first.who.block);
}

void async_copies::move(issuer const& from, issuer const& to) {
  auto const found = pending_.find(from);
  if (found == pending_.end() || (from <=> to) == 0) return;
  std::deque<copy>& all = pending_[to];
  all.insert(all.end(), found->second.begin(), found->second.end());
  pending_.erase(found);
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
  all.checked_by->copies(one.to, one.size_bytes + one.zero_bytes, /*write=*/true,
                         one.return_address, completes);
  if (one.size_bytes != 0)
    all.checked_by->copies(one.from, one.size_bytes, /*write=*/false, one.return_address,
                           completes);
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

void move_copies(void const* from_owner, void const* to_owner) {
  if (now().in_grid) now().copies.move(running_issuer(from_owner), running_issuer(to_owner));
}

void carry_copies_over() {
  state& all = now();
  if (all.copies.empty()) return;
  std::uint64_t const block = all.slots.block();
  for (auto at = all.copies.begin_of(block); at != all.copies.end_of(block); ++at)
    for (async_copies::copy const& one : at->second)
      if (!one.ends_batch) touch(one, copier_slot(at->first.who.thread), /*completes=*/false);
}

} // namespace thread_order
} // namespace mockgpu
