#include <cstdlib>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>

#include "kernel/kernel_call.hpp"
#include "kernel/stacks.hpp"
#include "order/thread_order.hpp"

extern "C" {
mockgpu_index_state mockgpu_indices = {};
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

/// A device thread that waits at a barrier.
struct parked_thread {
  context::fiber fiber;
  unsigned thread[3];
};

/// Runs one grid by lazily forked fibers. The threads of a block are plain calls in a loop on one
/// stack, and that loop goes on over blocks. At a barrier the stack is parked *with the loop on it*
/// and a fresh loop continues with the next thread; a loop that no longer owns the count ends when
/// its thread returns.
class grid_run {
public:
  explicit grid_run(kernel_call const& call) : call_(call) {}

  void run() {
    do {
      blocks_left_ = false;
      thread_order::begin_block();
      start_loop();
      while (!arrived_.empty()) next_phase();
    } while (blocks_left_);
  }

  /// Called on a device thread's stack.
  void barrier() { host_ = std::move(host_).resume(); }

private:
  /// Runs threads from the current indices on, until none of this block is left that has not
  /// started.
  void start_loop() {
    while (true) {
      unsigned const loop = ++mockgpu_indices.loop;
      context::fiber worker(std::allocator_arg, stack_allocator{},
                            [this, loop](context::fiber&& host) {
                              host_ = std::move(host);
                              run_blocks(loop);
                              return std::move(host_);
                            });
      worker = std::move(worker).resume();
      if (!worker) return;
      park(std::move(worker));
      if (!next_thread()) return;
      thread_order::switch_thread();
    }
  }

  void run_blocks(unsigned loop) {
    do call_.run_block(call_.entry, call_.closure.get());
    while (mockgpu_indices.loop == loop && arrived_.empty() && begin_next_block());
  }

  /// Lets every thread of the block that waits go on to its next barrier, or to its end.
  void next_phase() {
    std::vector<parked_thread> waiting = std::exchange(arrived_, {});
    thread_order::block_barrier();
    ++mockgpu_indices.loop; // whoever returns now finds that its loop is over
    for (parked_thread& one : waiting) {
      for (int axis = 0; axis < 3; ++axis) mockgpu_indices.thread[axis] = one.thread[axis];
      thread_order::switch_thread();
      context::fiber fiber = std::move(one.fiber).resume();
      if (fiber) park(std::move(fiber));
    }
    if (arrived_.empty()) blocks_left_ = next_block();
  }

  void park(context::fiber&& fiber) {
    auto const& thread = mockgpu_indices.thread;
    arrived_.push_back({std::move(fiber), {thread[0], thread[1], thread[2]}});
  }

  static bool next_thread() {
    auto& self = mockgpu_indices;
    for (int axis = 0; axis < 3; ++axis) {
      if (++self.thread[axis] < self.block_dim[axis]) return true;
      self.thread[axis] = 0;
    }
    return false;
  }

  static bool begin_next_block() {
    if (!next_block()) return false;
    thread_order::begin_block();
    return true;
  }

  static bool next_block() {
    auto& self = mockgpu_indices;
    for (int axis = 0; axis < 3; ++axis) self.thread[axis] = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (++self.block[axis] < self.grid_dim[axis]) return true;
      self.block[axis] = 0;
    }
    return false;
  }

  kernel_call const& call_;
  context::fiber host_; // whoever resumed the device thread that runs
  std::vector<parked_thread> arrived_;
  bool blocks_left_ = false;
};

grid_run* running = nullptr;

} // namespace

void run_grid(kernel_call const& call) {
  if (running != nullptr)
    std::abort(); // a grid inside a grid: the engine runs one operation at a time
  auto& self = mockgpu_indices;
  for (int axis = 0; axis < 3; ++axis) {
    self.thread[axis] = 0;
    self.block[axis] = 0;
    self.block_dim[axis] = call.block[axis];
    self.grid_dim[axis] = call.grid[axis];
    if (call.grid[axis] == 0 || call.block[axis] == 0) return;
  }
  grid_run grid(call);
  running = &grid;
  // A launch's arguments may be under way on this thread: its kernel is not the one called here.
  mockgpu_configuration* const pending = std::exchange(mockgpu_pending_launch, nullptr);
  thread_order::begin_grid(call.block[0] * call.block[1] * call.block[2]);
  grid.run();
  thread_order::end_grid();
  mockgpu_pending_launch = pending;
  running = nullptr;
}

} // namespace mockgpu

extern "C" void mockgpu_block_barrier(void) {
  // Host code that calls a device function runs no block, so there is nothing to wait for.
  if (mockgpu::running != nullptr) mockgpu::running->barrier();
}
