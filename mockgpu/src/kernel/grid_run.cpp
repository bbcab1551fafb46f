#include "kernel/grid_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "kernel/stacks.hpp"
#include "mockgpu/assert.h"
#include "order/thread_order.hpp"

extern "C" {
mockgpu_index_state mockgpu_indices = {};
unsigned mockgpu_block_dim[3] = {}, mockgpu_grid_dim[3] = {};
}

namespace mockgpu {
namespace {

namespace context = boost::context;

struct stack_allocator {
  static context::stack_context allocate() {
    kernel_stack const slot = take_kernel_stack();
    context::stack_context result;
    result.size = slot.size_bytes;
    result.sp = slot.top;
    return result;
  }
  static void deallocate(context::stack_context& used) noexcept {
    give_back_kernel_stack({used.sp, used.size});
  }
};

/// Forgets a fiber without unwinding its stack: its frames are the program's, built without
/// exceptions perhaps, and a kernel that a device ends runs no destructors either.
void leave_as_it_is(context::fiber&& one) {
  alignas(context::fiber) std::byte never_destroyed[sizeof one];
  new (never_destroyed) context::fiber(std::move(one));
}

void name_thread(unsigned linear) {
  auto& self = mockgpu_indices;
  self.thread[0] = linear % self.block_dim[0];
  self.thread[1] = linear / self.block_dim[0] % self.block_dim[1];
  self.thread[2] = linear / self.block_dim[0] / self.block_dim[1];
}

} // namespace

grid_run::grid_run(kernel_call const& call, grid_listener& listener)
    : call_(call), listener_(listener),
      shared_(call.shared_bytes, static_shared_memory(reinterpret_cast<void const*>(call.entry))),
      block_threads_(call.block[0] * call.block[1] * call.block[2]),
      blocks_to_start_(std::uint64_t{call.grid[0]} * call.grid[1] * call.grid[2]),
      preemption_state_(call.preemption_seed * 0x9E3779B97F4A7C15u) { // spreads small seeds
  name_first_block();
}

grid_run::~grid_run() = default;

void grid_run::run() {
  while (!ended_ && (blocks_left_ || !live_.empty())) {
    bool moved = false;
    for (std::size_t i = 0; i < live_.size() && !ended_;) {
      moved = go_on(*live_[i]) || moved;
      if (live_[i]->unfinished == 0) {
        shared_.end_block(live_[i]->place);
        entered_ = current_ = nullptr;
        spare_ = std::move(live_[i]);
        live_.erase(live_.begin() + std::ptrdiff_t(i));
        moved = true;
      } else {
        ++i;
      }
    }
    if (ended_) break;
    if (moved) fruitless_rounds_ = 0, fruitless_polls_ = fruitless_pauses_ = 0;
    if (blocks_left_ && (live_.empty() || call_.cooperative))
      start_blocks();
    else if (!moved && !live_.empty())
      settle();
  }
  if (ended_) abandon();
}

grid_run::whereabouts grid_run::place() const noexcept {
  whereabouts now;
  now.progress = progress_;
  auto const& at = mockgpu_indices;
  // Threads that poll take turns: that is no progress.
  bool const take_turns = current_ != nullptr && current_->spinning != 0;
  for (int axis = 0; axis < 3 && !take_turns; ++axis) {
    now.block[axis] = at.block[axis];
    now.thread[axis] = at.thread[axis];
  }
  return now;
}

void grid_run::start_blocks() {
  leave_entered();
  place_ = shared_.begin_block();
  auto& now = mockgpu_indices;
  for (int axis = 0; axis < 3; ++axis) {
    now.block[axis] = next_block_[axis];
    now.thread[axis] = 0;
  }
  current_ = nullptr;
  thread_order::begin_block();
  start_loop();
  if (ended_) return;
  if (current_ == nullptr) {
    blocks_left_ = false;
    return;
  }
  entered_ = current_;
  for (int axis = 0; axis < 3; ++axis) now.block[axis] = current_->index[axis];
  blocks_left_ = next_block();
  for (int axis = 0; axis < 3; ++axis) {
    next_block_[axis] = now.block[axis];
    now.block[axis] = current_->index[axis];
  }
}

/// Runs threads from the current indices on, until none of this block is left that has not started.
void grid_run::start_loop() {
  while (true) {
    ++progress_;
    unsigned const loop = ++mockgpu_indices.loop;
    context::fiber worker;
    sanitizer_fiber calls;
    try {
      worker = context::fiber(std::allocator_arg, stack_allocator{},
                              [this, loop](context::fiber&& host) {
                                host_ = std::move(host);
                                run_blocks(loop);
                                sanitizer_fiber::enter(host_calls_);
                                return std::move(host_);
                              });
      calls = sanitizer_fiber::make();
    } catch (std::bad_alloc const&) {
      ended_ = true;
      listener_.ended(grid_end::step_limit,
                      "more threads wait at once than the device has room for");
      return;
    }
    calls.enter();
    worker = std::move(worker).resume();
    if (ended_) {
      leave_as_it_is(std::move(worker));
      return;
    }
    if (!worker) {
      if (current_ != nullptr) close_frontier(*current_, block_threads_);
      return;
    }
    device_thread& waiting = current_->threads[linear_thread()];
    waiting.fiber = std::move(worker);
    waiting.sanitizer = std::move(calls);
    if (!next_thread()) return;
    thread_order::switch_thread();
  }
}

void grid_run::run_blocks(unsigned loop) {
  while (true) {
    call_.run_block(call_.entry, call_.closure.get());
    if (mockgpu_indices.loop != loop || current_ != nullptr || !next_block()) return;
    ++progress_;
    shared_.begin_next_block_in_place();
    thread_order::begin_block();
  }
}

/// Runs what can go on in a block. \returns whether anything but polling was done.
bool grid_run::go_on(live_block& block) {
  enter(block);
  bool moved = false;
  while (!ended_ && block.unfinished != 0) {
    if (!block.ready.empty()) {
      moved = run_ready(block) || moved;
    } else if (block.at_barrier == block.unfinished) {
      release_barrier(block);
      moved = true;
    } else if (settle_warps(block)) {
      moved = true;
    } else {
      break;
    }
  }
  return moved;
}

bool grid_run::run_ready(live_block& block) {
  std::vector<unsigned> const going = std::exchange(block.ready, {});
  bool moved = false;
  ++mockgpu_indices.loop; // whoever returns now finds that its loop is over
  for (unsigned const thread : going) {
    device_thread& one = block.threads[thread];
    bool const polled = one.state == thread_state::spinning;
    if (polled) --block.spinning;
    one.state = thread_state::running;
    name_thread(thread);
    thread_order::switch_thread();
    sanitizer_fiber calls = std::move(one.sanitizer);
    calls.enter();
    context::fiber fiber = std::move(one.fiber).resume();
    if (ended_) {
      leave_as_it_is(std::move(fiber));
      return true;
    }
    if (fiber) {
      one.fiber = std::move(fiber);
      one.sanitizer = std::move(calls);
    } else {
      thread_ended(block, thread);
    }
    moved = moved || !polled || one.state != thread_state::spinning;
  }
  return moved;
}

/// The block's shared memory and order of threads are in place from now on.
void grid_run::enter(live_block& block) {
  if (entered_ == &block) return;
  leave_entered();
  for (int axis = 0; axis < 3; ++axis) mockgpu_indices.block[axis] = block.index[axis];
  shared_.enter(block.place);
  thread_order::resume_block(block.token);
  entered_ = current_ = &block;
}

/// Another block, or the whole grid, has its turn.
void grid_run::leave_entered() {
  if (entered_ == nullptr) return;
  shared_.leave(entered_->place);
  entered_->token = thread_order::suspend_block();
  entered_ = current_ = nullptr;
}

live_block& grid_run::current() {
  if (current_ != nullptr) return *current_;
  std::unique_ptr<live_block> made = spare_ ? std::move(spare_) : std::make_unique<live_block>();
  std::vector<device_thread> threads = std::move(made->threads);
  *made = live_block{};
  made->threads = std::move(threads);
  made->threads.resize(block_threads_);
  for (device_thread& one : made->threads) one.state = thread_state::not_started;
  for (int axis = 0; axis < 3; ++axis) made->index[axis] = mockgpu_indices.block[axis];
  made->unfinished = block_threads_;
  made->place = place_;
  current_ = made.get();
  live_.push_back(std::move(made));
  return *current_;
}

device_thread& grid_run::self() {
  live_block& block = current();
  unsigned const me = linear_thread();
  if (me >= block.frontier) {
    close_frontier(block, me);
    block.frontier = me + 1;
    block.threads[me].state = thread_state::running;
  }
  return block.threads[me];
}

void grid_run::wait(thread_state state) {
  self().state = state;
  back_to_host();
}

void grid_run::back_to_host() {
  sanitizer_fiber::enter(host_calls_);
  host_ = std::move(host_).resume();
}

void grid_run::yield(bool sleeps) {
  live_block& block = current();
  ++block.spinning;
  self().sleeps = sleeps;
  wait(thread_state::spinning);
}

/// It is ready all the time, so that no group of threads that meets goes on without it. Between a
/// guess and the compare-and-swap that confirms it, others would make the guess look like a use.
/// By the seed all threads that get there go on in the opposite order, or single ones later.
void grid_run::before_atomic(std::uintptr_t address, std::size_t size_bytes) {
  if (preemption_state_ == 0 || preemptions_left_ == 0) return;
  if (thread_order::read_plainly(address, size_bytes)) return;
  bool const opposite = call_.preemption_seed % 2 != 0;
  if (!opposite) {
    // xorshift64 (Marsaglia, 2003)
    preemption_state_ ^= preemption_state_ << 13;
    preemption_state_ ^= preemption_state_ >> 7;
    preemption_state_ ^= preemption_state_ << 17;
    if (preemption_state_ >> 63 != 0) return;
  }
  --preemptions_left_;
  live_block& block = current();
  static_cast<void>(self());
  set_ready(block, linear_thread());
  if (opposite) std::rotate(block.ready.begin(), block.ready.end() - 1, block.ready.end());
  back_to_host();
}

void grid_run::end(grid_end why, std::string const& message) {
  ended_ = true;
  listener_.ended(why, message);
  back_to_host();
  std::abort(); // nobody resumes a thread of a grid that has ended
}

void grid_run::set_ready(live_block& block, unsigned thread) {
  block.threads[thread].state = thread_state::ready;
  block.ready.push_back(thread);
}

/// Threads from the frontier to `until` were plain calls that have returned; so was the one before
/// it, if it met others but did not have to wait.
void grid_run::close_frontier(live_block& block, unsigned until) {
  if (block.frontier != 0 && block.threads[block.frontier - 1].state == thread_state::running)
    thread_ended(block, block.frontier - 1);
  for (; block.frontier < until; ++block.frontier) thread_ended(block, block.frontier);
}

void grid_run::thread_ended(live_block& block, unsigned thread) {
  block.threads[thread].state = thread_state::ended;
  --block.unfinished;
  ++progress_;
  rounds_ = 0;
}

void grid_run::abandon() {
  for (auto const& block : live_)
    for (device_thread& one : block->threads)
      if (one.fiber) leave_as_it_is(std::move(one.fiber));
  take_back_kernel_stacks();
}

bool grid_run::next_thread() {
  auto& self = mockgpu_indices;
  for (int axis = 0; axis < 3; ++axis) {
    if (++self.thread[axis] < self.block_dim[axis]) return true;
    self.thread[axis] = 0;
  }
  return false;
}

void grid_run::name_first_block() {
  std::uint64_t const width = call_.grid[0], height = call_.grid[1];
  std::uint64_t const first = call_.order.first % blocks_to_start_;
  next_block_[0] = unsigned(first % width);
  next_block_[1] = unsigned(first / width % height);
  next_block_[2] = unsigned(first / width / height);
}

bool grid_run::next_block() {
  auto& self = mockgpu_indices;
  for (int axis = 0; axis < 3; ++axis) self.thread[axis] = 0;
  if (--blocks_to_start_ == 0) return false;
  for (int axis = 0; axis < 3; ++axis) {
    if (call_.order.downwards) {
      if (self.block[axis]-- != 0) break;
      self.block[axis] = self.grid_dim[axis] - 1;
    } else {
      if (++self.block[axis] < self.grid_dim[axis]) break;
      self.block[axis] = 0;
    }
  }
  return true;
}

} // namespace mockgpu
