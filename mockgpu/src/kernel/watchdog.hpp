#pragma once
/// \file Ends kernels that never end by themselves.
#include <cstdint>

namespace mockgpu {

class grid_run;

/// What one thread of a kernel may do while no thread gets any further (ends, arrives at a barrier
/// or leaves one).
struct kernel_limits {
  std::uint64_t accesses = std::uint64_t{1} << 27; ///< loads and stores
  /// Of processor time, for loops without any load or store that a hook sees. Time is no
  /// measure that repeats, so this is the last resort.
  unsigned seconds = 5;
};

/// While it lives, a timer of the calling thread's processor time looks after the grid. Looking is
/// asynchronous, so a kernel ends a little after it has passed a limit; that it ends, and what is
/// said, does not depend on when.
class watched_grid {
public:
  watched_grid(grid_run&, kernel_limits const&, void const* kernel_entry);
  ~watched_grid();
  watched_grid(watched_grid const&) = delete;
  watched_grid& operator=(watched_grid const&) = delete;
};

/// Set when the running kernel is to end at its next access.
extern bool volatile kernel_has_to_end;
/// Called by an access of the running kernel that finds `kernel_has_to_end` set. Does not return
/// to a kernel.
void end_endless_kernel();

} // namespace mockgpu
