// What the lanes of a warp do together. A lane is a thread by its linear index in the block.
#include <algorithm>
#include <bit>

#include "kernel/grid_run.hpp"
#include "kernel/stacks.hpp"
#include "order/thread_order.hpp"

namespace mockgpu {
namespace {

/// What a shuffle gives for a lane that is not here; the vendors leave it undefined.
constexpr std::uint64_t undefined_value = 0xFBFBFBFBFBFBFBFBu;

} // namespace

std::uint64_t grid_run::warp_operation(warp_request request, program_place place) {
  device_thread& me = self();
  live_block& block = *current_;
  unsigned const thread = linear_thread(), lane = thread % warp_size(), first = thread - lane;
  me.warp = request;
  me.place = place;
  if (request.lanes != 0 && (request.lanes >> lane & 1) == 0) {
    char mask[24];
    std::snprintf(mask, sizeof mask, "0x%llx", static_cast<unsigned long long>(request.lanes));
    me.state = thread_state::at_warp_operation;
    diverged(describe(block) + ", but its mask " + mask + " does not name its own lane " +
             std::to_string(lane));
    me.warp.lanes = std::uint64_t{1} << lane;
  }
  me.state = thread_state::at_warp_operation;
  if (me.warp.lanes != 0 && complete(block, first, me.warp.lanes, request.operation)) {
    resolve(block, first, me.warp.lanes);
    std::erase(block.ready, thread);
    me.state = thread_state::running;
  } else {
    wait(thread_state::at_warp_operation);
  }
  return me.warp.result;
}

std::uint64_t const* grid_run::gathered() { return self().gathered.get(); }

/// Whether all named lanes that have not ended wait for the same.
bool grid_run::complete(live_block const& block, unsigned first, std::uint64_t lanes,
                        mockgpu_warp_operation operation) const {
  // The last lane is the one that comes last, as a rule.
  for (unsigned lane = std::min(warp_size(), block_threads_ - first); lane-- > 0;) {
    if ((lanes >> lane & 1) == 0) continue;
    if (first + lane >= block.frontier) return false;
    device_thread const& one = block.threads[first + lane];
    if (one.state == thread_state::ended) continue;
    if (one.state != thread_state::at_warp_operation || one.warp.lanes != lanes ||
        one.warp.operation != operation)
      return false;
  }
  return true;
}

/// Does the operation of those of the lanes that wait for it, and lets them go on.
void grid_run::resolve(live_block& block, unsigned first, std::uint64_t lanes) {
  std::uint64_t here = 0, not_zero = 0;
  mockgpu_warp_operation operation{};
  unsigned const width = std::min(warp_size(), block_threads_ - first);
  count_round(live_.size() * (block_threads_ / warp_size() + 1),
              "block " + block_name(block) + ", thread " + thread_name(first) +
                  " and others of its warp meet");
  for (unsigned lane = 0; lane < width; ++lane) {
    device_thread const& one = block.threads[first + lane];
    if ((lanes >> lane & 1) == 0 || one.state != thread_state::at_warp_operation) continue;
    here |= std::uint64_t{1} << lane;
    if (one.warp.value != 0) not_zero |= std::uint64_t{1} << lane;
    operation = one.warp.operation;
  }
  if (operation == mockgpu_warp_sync) thread_order::warp_barrier(first, here);
  for (std::uint64_t rest = here; rest != 0; rest &= rest - 1) {
    unsigned const lane = unsigned(std::countr_zero(rest));
    device_thread& one = block.threads[first + lane];
    switch (operation) {
    case mockgpu_warp_sync:
    case mockgpu_warp_active:
      one.warp.result = here;
      break;
    case mockgpu_warp_ballot:
      one.warp.result = not_zero;
      break;
    case mockgpu_warp_shuffle:
      one.warp.result = one.warp.source < width && (here >> one.warp.source & 1) != 0
                            ? block.threads[first + one.warp.source].warp.value
                            : undefined_value;
      break;
    case mockgpu_warp_gather:
      one.warp.result = here;
      if (!one.gathered) one.gathered = std::make_unique<std::uint64_t[]>(64);
      for (unsigned other = 0; other < width; ++other)
        one.gathered[other] = block.threads[first + other].warp.value;
      break;
    }
    set_ready(block, first + lane);
  }
}

/// Lets warps go on whose threads all wait. \returns whether there was one.
bool grid_run::settle_warps(live_block& block) {
  bool any = false;
  for (unsigned first = 0; first < block_threads_; first += warp_size()) {
    unsigned const end = std::min(first + warp_size(), block_threads_);
    bool waits = false, here = false;
    for (unsigned i = first; i < end; ++i) {
      device_thread const& one = block.threads[i];
      if (one.state != thread_state::at_warp_operation) continue;
      waits = true;
      // Lanes that were named have ended since.
      if (one.warp.lanes != 0 && complete(block, first, one.warp.lanes, one.warp.operation)) {
        resolve(block, first, one.warp.lanes);
        here = true;
      }
    }
    if (waits && !here) here = settle_together(block, first);
    any = any || here;
  }
  return any;
}

/// Operations that name no lanes: of the lanes that wait, those at one place go on together. As
/// hardware does, the ones deepest in calls, and then furthest back in the code, come first, so
/// that the others meet them again where branches join.
bool grid_run::settle_together(live_block& block, unsigned first) {
  unsigned const width = std::min(warp_size(), block_threads_ - first);
  device_thread const* chosen = nullptr;
  std::uint64_t lanes = 0;
  for (unsigned lane = 0; lane < width; ++lane) {
    device_thread const& one = block.threads[first + lane];
    if (one.state != thread_state::at_warp_operation || one.warp.lanes != 0) continue;
    bool const better =
        chosen == nullptr || one.warp.stack_bytes > chosen->warp.stack_bytes ||
        (one.warp.stack_bytes == chosen->warp.stack_bytes && one.warp.code < chosen->warp.code);
    if (better) {
      chosen = &one;
      lanes = 0;
    }
    if (better || (one.warp.stack_bytes == chosen->warp.stack_bytes &&
                   one.warp.code == chosen->warp.code &&
                   one.warp.operation == chosen->warp.operation))
      lanes |= std::uint64_t{1} << lane;
  }
  if (chosen == nullptr) return false;
  resolve(block, first, lanes);
  return true;
}

/// Lets lanes go on that wait for others in vain. \returns whether there were any.
bool grid_run::force_warp(live_block& block) {
  for (unsigned first = 0; first < block_threads_; first += warp_size()) {
    unsigned const width = std::min(warp_size(), block_threads_ - first);
    device_thread const* chosen = nullptr;
    std::uint64_t lanes = 0;
    for (unsigned lane = 0; lane < width; ++lane) {
      device_thread const& one = block.threads[first + lane];
      if (one.state != thread_state::at_warp_operation) continue;
      if (chosen == nullptr) chosen = &one;
      if (one.warp.lanes == chosen->warp.lanes && one.warp.operation == chosen->warp.operation)
        lanes |= std::uint64_t{1} << lane;
    }
    if (chosen == nullptr) continue;
    resolve(block, first, lanes);
    return true;
  }
  return false;
}

} // namespace mockgpu
