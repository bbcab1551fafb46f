#include "order/thread_clock.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace mockgpu {

using thread_order::fence_scope;
using thread_order::memory_order;

namespace {
std::size_t index(fence_scope scope) { return scope == fence_scope::block ? 0 : 1; }
} // namespace

void thread_clock::forget_logs() {
  // Entries know of logs, so that logs may hold each other.
  for (auto& one : all_logs_) one->entries.clear();
  all_logs_.clear();
  logs_.clear();
  latest_.reset();
}

void thread_clock::begin_grid() {
  irregular_ = fenced_ = false;
  suspended_.clear();
  begin_block();
  forget_logs();
}

void thread_clock::begin_block() {
  own_.clear();
  block_ = {};
}

std::uint32_t thread_clock::suspend_block() {
  irregular_ = true;
  block_.number = slots_.block();
  block_.stints.push_back({slots_.block_begin(), slots_.next(), slots_.phase_begin()});
  own_.clear();
  suspended_.push_back(std::exchange(block_, {}));
  return std::uint32_t(suspended_.size() - 1);
}

void thread_clock::resume_block(std::uint32_t number) {
  own_.clear();
  block_ = std::exchange(suspended_[number], {});
}

void thread_clock::join(knowledge& into, knowledge const& from) {
  for (auto const& [log, count] : from) {
    std::size_t& known = into[log];
    known = std::max(known, count);
  }
}

thread_clock::release_ref thread_clock::merge(std::vector<release_ref> const& all) {
  if (all.size() == 1) return all.front();
  auto both = std::make_shared<release>(*all.front());
  std::map<unsigned, thread_slot> own;
  for (release_ref const& one : all) {
    both->ranges.insert(both->ranges.end(), one->ranges.begin(), one->ranges.end());
    for (auto const& [thread, last] : one->own) own[thread] = std::max(own[thread], last);
    join(both->known, one->known);
  }
  both->own.assign(own.begin(), own.end());
  std::sort(both->ranges.begin(), both->ranges.end());
  both->ranges.erase(std::unique(both->ranges.begin(), both->ranges.end()), both->ranges.end());
  return both;
}

void thread_clock::block_barrier() {
  std::vector<release_ref> released;
  if (block_.released) released.push_back(block_.released);
  for (auto& [thread, state] : block_.threads) {
    join(block_.known, state.pending);
    join(block_.known, state.known);
    // A fence of a narrower scope has nothing to add to the barrier.
    if (release_ref const& wide = state.released[index(fence_scope::device)])
      released.push_back(wide);
  }
  if (!released.empty()) block_.released = merge(released);
  block_.threads.clear();
  own_.clear();
  block_.warps.clear();
  for (stint& one : block_.stints) one.ordered_end = one.end;
}

void thread_clock::grid_barrier() {
  begin_block();
  for (block_state& one : suspended_) one = {};
  forget_logs();
}

void thread_clock::note_irregular() {
  irregular_ = true;
  if (!own_.empty()) return;
  own_.resize(slots_.threads_per_block());
  std::iota(own_.begin(), own_.end(), slots_.phase_begin());
}

void thread_clock::spread(warp_state& warp) {
  if (!warp.known.empty()) return;
  warp.known.resize(std::size_t{most_lanes} * most_lanes);
  for (unsigned i = 0; i < most_lanes; ++i)
    for (unsigned j = 0; j < most_lanes; ++j)
      if (warp.bound != 0 && (warp.lanes >> i & 1) != 0 && (warp.lanes >> j & 1) != 0)
        warp.known[i * most_lanes + j] = warp.bound - 1;
}

void thread_clock::warp_barrier(unsigned first_thread, std::uint64_t lanes) {
  unsigned const threads = slots_.threads_per_block();
  if (first_thread >= threads) return;
  unsigned const there = std::min(most_lanes, threads - first_thread);
  if (there < most_lanes) lanes &= (std::uint64_t{1} << there) - 1;
  if (lanes == 0) return;
  note_irregular();
  unsigned const width = unsigned(std::bit_width(lanes));
  warp_state& warp = block_.warps[first_thread];
  bool const alike = warp.known.empty() && (warp.lanes == 0 || warp.lanes == lanes);
  if (!alike) {
    spread(warp);
    thread_slot row[most_lanes] = {};
    for (unsigned j = 0; j < most_lanes; ++j) {
      for (unsigned i = 0; i < width; ++i)
        if ((lanes >> i & 1) != 0) row[j] = std::max(row[j], warp.known[i * most_lanes + j]);
      if ((lanes >> j & 1) != 0) row[j] = std::max(row[j], own_[first_thread + j]);
    }
    for (unsigned i = 0; i < width; ++i)
      if ((lanes >> i & 1) != 0)
        std::copy(row, row + most_lanes, warp.known.begin() + i * most_lanes);
  }
  // Where the numbers run out, later accesses share the slots of earlier ones.
  bool const room = slots_.next() + width < slot_limit;
  thread_slot const first = room ? slots_.hand_out(first_thread, width) : slots_.next();
  if (alike) {
    warp.lanes = lanes;
    warp.bound = first;
  }
  for (unsigned i = 0; i < width; ++i)
    if (room && (lanes >> i & 1) != 0) own_[first_thread + i] = first + i;
  if (block_.warp_of.size() < threads) block_.warp_of.resize(threads);
  for (unsigned i = 0; i < there; ++i)
    if ((lanes >> i & 1) != 0) block_.warp_of[first_thread + i] = first_thread;

  if (block_.threads.empty()) return;
  thread_state all;
  std::vector<release_ref> released[2];
  for (unsigned i = 0; i < width; ++i) {
    auto const found = block_.threads.find(first_thread + i);
    if ((lanes >> i & 1) == 0 || found == block_.threads.end()) continue;
    join(all.known, found->second.pending);
    join(all.known, found->second.known);
    for (std::size_t scope = 0; scope < 2; ++scope)
      if (found->second.released[scope]) released[scope].push_back(found->second.released[scope]);
  }
  for (std::size_t scope = 0; scope < 2; ++scope)
    if (!released[scope].empty()) all.released[scope] = merge(released[scope]);
  for (unsigned i = 0; i < width; ++i)
    if ((lanes >> i & 1) != 0) block_.threads[first_thread + i] = all;
}

void thread_clock::fence(unsigned thread, fence_scope scope, memory_order order) {
  note_irregular();
  fenced_ = true;
  thread_state& state = block_.threads[thread];
  if (order.acquires && scope == fence_scope::block) {
    join(state.known_of_block, state.pending);
  } else if (order.acquires) {
    join(state.known, state.pending);
    state.pending.clear();
    state.known_of_block.clear();
  }
  if (order.releases) state.released[index(scope)] = make_release(thread, scope);
}

thread_clock::release_ref thread_clock::make_release(unsigned thread, fence_scope scope) {
  thread_state const& state = block_.threads[thread];
  auto made = std::make_shared<release>();
  made->block = slots_.block();
  for (stint const& one : block_.stints) made->ranges.emplace_back(one.begin, one.ordered_end);
  made->ranges.emplace_back(slots_.block_begin(), slots_.phase_begin());
  made->scope = scope;
  made->known = block_.known;
  join(made->known, state.known);
  join(made->known, state.known_of_block);
  // What the thread has learnt of its warp goes with it.
  if (thread < block_.warp_of.size())
    if (auto const found = block_.warps.find(block_.warp_of[thread]); found != block_.warps.end()) {
      warp_state const& warp = found->second;
      unsigned const lane = thread - found->first;
      for (unsigned j = 0; j < most_lanes; ++j) {
        thread_slot const last = !warp.known.empty() ? warp.known[lane * most_lanes + j]
                                 : (warp.lanes >> lane & warp.lanes >> j & 1) != 0 ? warp.bound - 1
                                                                                   : 0;
        if (last != 0 && j != lane) made->own.emplace_back(found->first + j, last);
      }
    }
  made->own.emplace_back(thread, own_[thread]);
  std::sort(made->own.begin(), made->own.end());
  if (slots_.next() + 1 < slot_limit) own_[thread] = slots_.hand_out(thread, 1);
  return made;
}

void thread_clock::acquire(unsigned thread) {
  if (all_logs_.empty()) return;
  auto const found = block_.threads.find(thread);
  if (found == block_.threads.end() || found->second.pending.empty()) return;
  join(found->second.known, found->second.pending);
  found->second.pending.clear();
}

std::shared_ptr<thread_clock::log>* thread_clock::find_log(atomic_place where) {
  log_map& logs = where.shared ? block_.logs : logs_;
  auto const found = logs.find(where.address);
  return found == logs.end() ? nullptr : &found->second;
}

void thread_clock::publish(atomic_place where, unsigned thread, release_ref const& what) {
  if (!what) return;
  std::shared_ptr<log>& at = (where.shared ? block_.logs : logs_)[where.address];
  if (!at) at = all_logs_.emplace_back(std::make_shared<log>());
  std::vector<std::uint32_t>& of_block = at->by_block[what->block];
  if (!of_block.empty()) {
    log_entry& last = at->entries[of_block.back()];
    if (last.what == what && last.thread == thread) { // a loop that updates again and again
      last.publisher = slot_of(thread);
      return;
    }
  }
  auto const number = std::uint32_t(at->entries.size());
  at->entries.push_back({what, thread, slot_of(thread)});
  of_block.push_back(number);
  if (!what->known.empty()) at->with_knowledge.push_back(number);
}

void thread_clock::atomic(unsigned thread, atomic_place where, fence_scope scope,
                          memory_order order, bool writes) {
  if (order.acquires || order.releases) {
    note_irregular();
    fenced_ = true;
  }
  if (std::shared_ptr<log> const* const at = find_log(where)) {
    latest_ = *at;
    thread_state& state = block_.threads[thread];
    auto const learn = [&](knowledge& into) {
      std::size_t& known = into[*at];
      known = std::max(known, (*at)->entries.size());
    };
    learn(state.pending);
    if (order.acquires) learn(scope == fence_scope::block ? state.known_of_block : state.known);
  }
  if (!writes) return; // nobody finds what was not written
  if (order.releases) publish(where, thread, make_release(thread, scope));
  if (block_.released) publish(where, thread, block_.released);
  auto const self = block_.threads.find(thread);
  if (self != block_.threads.end())
    for (release_ref const& one : self->second.released) publish(where, thread, one);
}

bool thread_clock::covers(log_entry const& entry, thread_slot earlier, unsigned thread,
                          bool atomic) {
  release const& what = *entry.what;
  for (auto const& [begin, end] : what.ranges)
    if (earlier >= begin && earlier < end) return true;
  if (atomic && thread == entry.thread && earlier <= entry.publisher) return true;
  for (auto const& [owner, last] : what.own)
    if (owner == thread && earlier <= last) return true;
  return false;
}

bool thread_clock::covers(knowledge const& known, thread_slot earlier, bool atomic,
                          bool own_block) const {
  auto const [block, thread] = slots_.place_of(earlier);
  struct source {
    log const* at;
    std::size_t count;
    std::uint64_t reader; // block that has learnt of it
    bool own_block;
  };
  auto const visible = [](source const& from, release const& what) {
    return what.block == from.reader || (what.scope == fence_scope::device && !from.own_block);
  };
  auto const tells = [&](source const& from) {
    auto const of_block = from.at->by_block.find(block);
    if (of_block == from.at->by_block.end()) return false;
    return std::any_of(of_block->second.begin(), of_block->second.end(), [&](std::uint32_t i) {
      log_entry const& one = from.at->entries[i];
      return i < from.count && visible(from, *one.what) && covers(one, earlier, thread, atomic);
    });
  };
  // What is asked about is mostly at the address of the last atomic access.
  if (auto const found = known.find(latest_); found != known.end())
    if (tells({found->first.get(), found->second, slots_.block(), own_block})) return true;
  std::map<std::pair<log const*, std::uint64_t>, std::size_t> done;
  std::vector<source> open;
  for (auto const& [one, count] : known)
    open.push_back({one.get(), count, slots_.block(), own_block});
  while (!open.empty()) {
    source const from = open.back();
    auto const [at, count] = std::pair(from.at, from.count);
    open.pop_back();
    std::size_t& seen = done[{at, from.reader}];
    if (seen >= count) continue;
    std::size_t const before = std::exchange(seen, count);
    if (tells(from)) return true;
    for (std::uint32_t const i : at->with_knowledge)
      if (i >= before && i < count && visible(from, *at->entries[i].what))
        for (auto const& [one, more] : at->entries[i].what->known)
          open.push_back({one.get(), more, at->entries[i].what->block, false});
  }
  return false;
}

bool thread_clock::known_in_warp(thread_slot earlier, unsigned thread) const {
  if (thread >= block_.warp_of.size()) return false;
  auto const found = block_.warps.find(block_.warp_of[thread]);
  if (found == block_.warps.end()) return false;
  warp_state const& warp = found->second;
  auto const [block, other] = slots_.place_of(earlier);
  unsigned const lane = thread - found->first, other_lane = other - found->first;
  if (block != slots_.block() || other < found->first || other_lane >= most_lanes) return false;
  if (!warp.known.empty()) return earlier <= warp.known[lane * most_lanes + other_lane];
  return (warp.lanes >> lane & warp.lanes >> other_lane & 1) != 0 && earlier < warp.bound;
}

bool thread_clock::ordered(thread_slot earlier, unsigned thread, bool atomic) const {
  thread_slot const block = slots_.block_begin(), phase = slots_.phase_begin();
  if (earlier >= block && earlier < phase) return true;
  if (earlier >= phase && slots_.place_of(earlier).thread == thread) return true;
  if (!irregular_) return false;
  if (earlier < block && !block_.stints.empty()) {
    for (stint const& one : block_.stints)
      if (earlier >= one.begin && earlier < one.ordered_end) return true;
    thread_place const place = slots_.place_of(earlier);
    if (place.block == slots_.block() && place.thread == thread) return true;
  }
  if (known_in_warp(earlier, thread)) return true;
  if (!block_.known.empty() && covers(block_.known, earlier, atomic)) return true;
  auto const self = block_.threads.find(thread);
  if (self == block_.threads.end()) return false;
  thread_state const& state = self->second;
  return (!state.known.empty() && covers(state.known, earlier, atomic)) ||
         (!state.known_of_block.empty() &&
          covers(state.known_of_block, earlier, atomic, /*own_block=*/true));
}

bool thread_clock::reaches(thread_slot earlier, unsigned thread) const {
  if (ordered(earlier, thread, true)) return true;
  auto const self = block_.threads.find(thread);
  return self != block_.threads.end() && !self->second.pending.empty() &&
         covers(self->second.pending, earlier, true);
}

} // namespace mockgpu
