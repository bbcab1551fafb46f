#pragma once
/// \file One running grid: which of its threads goes on next.
#include <memory>
#include <string>
#include <vector>

#include "kernel/device_thread.hpp"
#include "kernel/grid_listener.hpp"
#include "kernel/kernel_call.hpp"
#include "kernel/shared_memory.hpp"

namespace mockgpu {

/// Runs one grid by lazily forked fibers. The threads of a block are plain calls in a loop on one
/// stack, and that loop goes on over blocks. Where a thread has to wait, the stack is parked *with
/// the loop on it* and a fresh loop continues with the next thread; a loop that no longer owns the
/// count ends when its thread returns.
///
/// Blocks run one after the other; those of a cooperative launch together. A block whose threads
/// only poll memory is left for others until one of them has written.
class grid_run {
public:
  grid_run(kernel_call const&, grid_listener&);
  ~grid_run();
  grid_run(grid_run const&) = delete;
  grid_run& operator=(grid_run const&) = delete;

  void run();

  /// Where the grid is. Equal at two times: no thread has got any further in between. May be asked
  /// for at any time, also by a signal handler.
  struct whereabouts {
    std::uint64_t progress = 0;
    unsigned block[3] = {}, thread[3] = {};
    bool operator==(whereabouts const&) const = default;
  };
  [[nodiscard]] whereabouts place() const noexcept;

  // Called on a device thread's stack.
  std::uint64_t block_barrier(bool predicate, program_place);
  void grid_barrier(program_place);
  std::uint64_t warp_operation(warp_request, program_place);
  [[nodiscard]] std::uint64_t const* gathered();
  [[nodiscard]] void* dynamic_shared() const { return shared_.dynamic(); }
  /// The running thread polls memory: others go first.
  void yield(bool sleeps);
  /// The running thread is about to do an atomic operation: others may go first.
  void before_atomic(std::uintptr_t address, std::size_t size_bytes);
  /// Ends the grid; does not return to the kernel.
  [[noreturn]] void end(grid_end, std::string const& message);

private:
  // Threads (grid_run.cpp).
  live_block& current();
  device_thread& self();
  void wait(thread_state);
  void back_to_host();
  void set_ready(live_block&, unsigned thread);
  void start_blocks();
  void start_loop();
  void run_blocks(unsigned loop);
  bool go_on(live_block&);
  bool run_ready(live_block&);
  void enter(live_block&);
  void leave_entered();
  void close_frontier(live_block&, unsigned until);
  void thread_ended(live_block&, unsigned thread);
  void abandon();
  [[nodiscard]] bool next_thread();
  [[nodiscard]] bool next_block();
  void name_first_block();

  // Barriers (barriers.cpp).
  void release_barrier(live_block&);
  void release_grid_barrier();
  void settle();
  void force_progress();
  void diverged(std::string const& message);
  void count_round(std::uint64_t most, std::string const& who);
  [[nodiscard]] std::string describe(live_block const&) const;

  // Warps (warps.cpp).
  [[nodiscard]] unsigned warp_size() const noexcept { return mockgpu_indices.warp_size; }
  [[nodiscard]] bool complete(live_block const&, unsigned first, std::uint64_t lanes,
                              mockgpu_warp_operation) const;
  void resolve(live_block&, unsigned first, std::uint64_t lanes);
  bool settle_warps(live_block&);
  bool settle_together(live_block&, unsigned first);
  bool force_warp(live_block&);

  kernel_call const& call_;
  grid_listener& listener_;
  shared_memory_of_grid shared_;
  boost::context::fiber host_; ///< whoever resumed the device thread that runs
  void* host_calls_ = sanitizer_fiber::current(); ///< of that one
  std::vector<std::unique_ptr<live_block>> live_;
  std::unique_ptr<live_block> spare_;
  live_block* current_ = nullptr; ///< block of the running thread, if one of its threads has waited
  live_block* entered_ = nullptr; ///< whose shared memory and order of threads are in place
  shared_memory_of_grid::place place_ = 0; ///< of the blocks that start
  unsigned block_threads_ = 0;
  unsigned next_block_[3] = {};
  std::uint64_t blocks_to_start_; ///< the next one included
  bool blocks_left_ = true;
  std::uint64_t preemption_state_;
  unsigned preemptions_left_ = 64; ///< a fiber each, so a few for each grid
  bool ended_ = false;
  bool divergence_said_ = false;
  unsigned fruitless_rounds_ = 0;
  std::uint64_t fruitless_polls_ = 0, fruitless_pauses_ = 0;
  std::uint64_t progress_ = 0; ///< threads that have got further
  std::uint64_t rounds_ = 0;   ///< barriers of blocks and warps since a thread has ended
};

/// The position of the running thread in its block.
[[nodiscard]] inline unsigned linear_thread() noexcept {
  auto const& self = mockgpu_indices;
  return self.thread[0] + self.block_dim[0] * (self.thread[1] + self.block_dim[1] * self.thread[2]);
}
/// "(1,0,0)": a thread of a block by its linear index.
[[nodiscard]] std::string thread_name(unsigned linear);
/// "(1,0,0)": a block by its index.
[[nodiscard]] std::string block_name(live_block const&);
/// "block (0,0,0), thread (1,0,0)": the running one.
[[nodiscard]] std::string running_place();

} // namespace mockgpu
