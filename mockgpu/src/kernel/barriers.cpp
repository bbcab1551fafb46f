// Barriers of blocks and grids, and what happens when no thread can go on.
#include <algorithm>
#include <cstring>
#include <map>

#include "kernel/grid_run.hpp"
#include "mockgpu/assert.h"
#include "order/thread_order.hpp"

namespace mockgpu {
namespace {

bool same(program_place const& a, program_place const& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string text(program_place const& place) {
  std::string_view const file = place.file;
  std::size_t const slash = file.rfind('/');
  return std::string(slash == file.npos ? file : file.substr(slash + 1)) + ":" +
         std::to_string(place.line);
}

char const* waits_at(thread_state state) {
  switch (state) {
  case thread_state::at_block_barrier:
    return "at the block's barrier at ";
  case thread_state::at_grid_barrier:
    return "at the grid's barrier at ";
  case thread_state::at_warp_operation:
    return "for lanes of its warp at ";
  default:
    return "";
  }
}

} // namespace

std::string block_name(live_block const& block) {
  return "(" + std::to_string(block.index[0]) + "," + std::to_string(block.index[1]) + "," +
         std::to_string(block.index[2]) + ")";
}

std::string running_place() {
  auto const& block = mockgpu_indices.block;
  return "block (" + std::to_string(block[0]) + "," + std::to_string(block[1]) + "," +
         std::to_string(block[2]) + "), thread " + thread_name(linear_thread());
}

std::string thread_name(unsigned linear) {
  auto const& dim = mockgpu_indices.block_dim;
  return "(" + std::to_string(linear % dim[0]) + "," + std::to_string(linear / dim[0] % dim[1]) +
         "," + std::to_string(linear / dim[0] / dim[1]) + ")";
}

std::uint64_t grid_run::block_barrier(bool predicate, program_place place) {
  device_thread& me = self();
  live_block& block = *current_;
  unsigned const thread = linear_thread();
  if (block.at_barrier == 0) {
    block.barrier_place = place;
    block.barrier_first = thread;
  } else if (!block.barrier_diverges && !same(place, block.barrier_place)) {
    block.barrier_diverges = true;
  }
  ++block.at_barrier;
  block.true_predicates += predicate ? 1 : 0;
  me.place = place;
  wait(thread_state::at_block_barrier);
  return current_->barrier_result;
}

/// All threads of the block that have not ended have arrived.
void grid_run::release_barrier(live_block& block) {
  if (block.barrier_diverges) diverged(describe(block));
  ++progress_;
  unsigned first = 0;
  while (block.threads[first].state != thread_state::at_block_barrier) ++first;
  count_round(live_.size(), "block " + block_name(block) + ", thread " + thread_name(first) +
                                " and the others of its block meet at barriers");
  block.barrier_result = std::uint64_t(block.at_barrier) << 32 | block.true_predicates;
  block.at_barrier = 0;
  block.true_predicates = 0;
  block.barrier_diverges = false;
  thread_order::block_barrier();
  for (unsigned i = 0; i < block_threads_; ++i)
    if (block.threads[i].state == thread_state::at_block_barrier) set_ready(block, i);
}

void grid_run::grid_barrier(program_place place) {
  if (!call_.cooperative)
    end(grid_end::trap,
        "a barrier of the grid at " + text(place) + " in a launch that is not cooperative");
  self().place = place;
  ++current_->at_grid;
  wait(thread_state::at_grid_barrier);
}

void grid_run::release_grid_barrier() {
  leave_entered();
  thread_order::grid_barrier();
  for (auto const& block : live_) {
    block->at_grid = 0;
    for (unsigned i = 0; i < block_threads_; ++i)
      if (block->threads[i].state == thread_state::at_grid_barrier) set_ready(*block, i);
  }
}

/// Nothing but polling threads can go on.
void grid_run::settle() {
  unsigned unfinished = 0, at_grid = 0, spinning = 0;
  for (auto const& block : live_) {
    unfinished += block->unfinished;
    at_grid += block->at_grid;
    spinning += block->spinning;
  }
  if (at_grid == unfinished) {
    unsigned long long const all = 1ull * block_threads_ * mockgpu_indices.grid_dim[0] *
                                   mockgpu_indices.grid_dim[1] * mockgpu_indices.grid_dim[2];
    if (at_grid != all)
      diverged(std::to_string(at_grid) + " threads wait at a barrier of the grid that the other " +
               std::to_string(all - at_grid) + " do not reach: they have ended");
    release_grid_barrier();
    return;
  }
  if (spinning == 0) {
    force_progress();
    return;
  }
  // What they wait for may be done by blocks that have not begun.
  if (blocks_left_ && fruitless_rounds_++ >= 2) {
    fruitless_rounds_ = 0;
    start_blocks();
    return;
  }
  unsigned sleeping = 0;
  for (auto const& block : live_)
    for (unsigned i = 0; i < block_threads_ && block->spinning != 0; ++i)
      if (block->threads[i].state == thread_state::spinning && block->threads[i].sleeps) ++sleeping;
  // Who sleeps may count his pauses, or look at the clock, rather than wait for another.
  constexpr unsigned patience = 2;
  fruitless_polls_ += spinning - sleeping;
  fruitless_pauses_ += sleeping;
  if (fruitless_polls_ + fruitless_pauses_ / patience > call_.poll_limit) {
    std::string first;
    for (auto const& block : live_)
      for (unsigned i = 0; i < block_threads_ && first.empty(); ++i)
        if (block->threads[i].state == thread_state::spinning)
          first = "block " + block_name(*block) + ", thread " + thread_name(i);
    ended_ = true;
    listener_.ended(
        grid_end::step_limit,
        first + (spinning == 1 ? " polls" : " and " + std::to_string(spinning - 1) + " more poll") +
            " memory that nobody writes; limit " + std::to_string(call_.poll_limit) + " polls");
    return;
  }
  for (auto const& block : live_)
    if (block->spinning != 0)
      for (unsigned i = 0; i < block_threads_; ++i)
        if (block->threads[i].state == thread_state::spinning) block->ready.push_back(i);
}

/// Every thread waits for another that does not come.
void grid_run::force_progress() {
  for (auto const& block : live_) {
    enter(*block);
    std::string const where = describe(*block);
    if (force_warp(*block)) {
      diverged(where);
      return;
    }
    if (block->at_barrier != 0) {
      diverged(where);
      block->barrier_diverges = false;
      release_barrier(*block);
      return;
    }
  }
  MOCKGPU_ASSERT(false && "a thread that waits is at a barrier or a warp operation");
}

/// Threads that meet again and again without one that ends. \param most how many groups of threads
/// may do so at a time.
void grid_run::count_round(std::uint64_t most, std::string const& who) {
  std::uint64_t const limit = std::max<std::uint64_t>(call_.limits.accesses >> 8, 1);
  if (++rounds_ <= limit * most || ended_) return;
  ended_ = true;
  listener_.ended(grid_end::step_limit,
                  who + " without an end; limit " + std::to_string(limit) +
                      " (MOCKGPU_STEP_LIMIT / 256), in meetings while no thread ends");
}

void grid_run::diverged(std::string const& message) {
  if (divergence_said_) return; // what follows the first is its consequence
  divergence_said_ = true;
  listener_.barrier_divergence(message);
}

/// "block (0,0,0): 16 threads, the first (0,0,0), wait at ...; 16 threads, ...".
std::string grid_run::describe(live_block const& block) const {
  struct group {
    unsigned count = 0, first = 0;
  };
  std::vector<std::pair<std::string, group>> groups;
  unsigned ended = 0, ended_first = 0;
  for (unsigned i = 0; i < block_threads_; ++i) {
    device_thread const& one = block.threads[i];
    if (one.state == thread_state::ended) {
      if (ended++ == 0) ended_first = i;
      continue;
    }
    std::string where = waits_at(one.state);
    if (where.empty()) continue;
    where += text(one.place);
    auto it = groups.begin();
    while (it != groups.end() && it->first != where) ++it;
    if (it == groups.end()) it = groups.insert(it, {where, {0, i}});
    ++it->second.count;
  }
  std::string result = "block " + block_name(block) + ":";
  char const* separator = " ";
  auto const add = [&](unsigned count, unsigned first, std::string const& what) {
    result += separator;
    result += count == 1
                  ? "thread " + thread_name(first)
                  : std::to_string(count) + " threads, the first " + thread_name(first) + ",";
    result += what;
    separator = "; ";
  };
  for (auto const& [where, one] : groups)
    add(one.count, one.first, (one.count == 1 ? " waits " : " wait ") + where);
  if (ended != 0) add(ended, ended_first, ended == 1 ? " has ended" : " have ended");
  return result;
}

} // namespace mockgpu
