#pragma once
/// \file What a running grid has to say to whoever launched it.
#include <string>

namespace mockgpu {

/// Why a grid ended before its threads did.
enum class grid_end : unsigned char {
  none,       ///< it did not: every thread has returned
  step_limit, ///< it made no progress, or too many accesses
  assertion,  ///< a device assertion failed
  trap,       ///< __trap, abort
};

/// Told while the grid runs, on its stacks: must not throw.
class grid_listener {
public:
  virtual ~grid_listener() = default;
  /// Threads wait in a way that the vendors leave undefined. The grid goes on as current hardware
  /// does: threads that have arrived somewhere are let go.
  virtual void barrier_divergence(std::string const& message) = 0;
  /// The grid ends here.
  virtual void ended(grid_end, std::string const& message) = 0;
};

} // namespace mockgpu
