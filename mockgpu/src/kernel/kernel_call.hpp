#pragma once
/// \file A kernel launch as the engine keeps it from the call to its execution.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernel/block_order.hpp"
#include "kernel/grid_listener.hpp"
#include "kernel/watchdog.hpp"
#include "mockgpu/abi.h"

namespace mockgpu {

/// What runs when the scheduler reaches a launch: the kernel and its own copy of the arguments.
struct kernel_call {
  unsigned grid[3] = {1, 1, 1};  ///< blocks
  unsigned block[3] = {1, 1, 1}; ///< threads
  std::size_t shared_bytes = 0;
  bool cooperative = false; ///< all blocks are there at once, and may meet
  unsigned warp_size = 32;  ///< lanes
  block_order order;        ///< of the blocks' starts
  /// Not 0: some threads let others go first where they are about to do an atomic operation, by
  /// this seed.
  std::uint64_t preemption_seed = 0;
  /// How often threads may poll memory, in sum, while none of them gets any further.
  std::uint64_t poll_limit = std::uint64_t{1} << 22;
  kernel_limits limits;
  void (*entry)() = nullptr;
  void (*run_block)(void (*)(), void*) = nullptr;
  struct free_aligned {
    void operator()(void*) const noexcept;
  };
  std::unique_ptr<void, free_aligned> closure; ///< null for a kernel without parameters
};

/// Copies the launch and its arguments. Counts no access: reading the arguments is for the caller
/// to report.
[[nodiscard]] kernel_call copy_launch(mockgpu_launch const&);

/// Runs the whole grid on the calling OS thread: blocks in the call's order; the threads of a block
/// as plain calls, on stacks of their own (see stacks.hpp), as fibers from their first wait on.
/// One grid at a time: MOCKGPU_ASSERT otherwise.
void run_grid(kernel_call const&, grid_listener&);

/// The kernel's name for reports: the demangled symbol at its entry, or else the first argument of
/// the launch as written, without cast and `&`, or "kernel at 0x...".
[[nodiscard]] std::string find_kernel_name(mockgpu_launch const&);
/// The same, found once for each entry address.
[[nodiscard]] std::string const& kernel_name(mockgpu_launch const&);

} // namespace mockgpu
