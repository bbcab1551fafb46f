#pragma once
/// \file The order of the running grid's threads, for the checker.
#include "order/async_copies.hpp"
#include "order/thread_clock.hpp"
#include "order/thread_order.hpp"

namespace mockgpu::thread_order {

struct state {
  bool in_grid = false;
  bool in_block = false; ///< the block of `slots` has begun, and is not suspended
  thread_slots slots;
  thread_clock clock{slots};
  async_copies copies;
  bool copying = false; ///< accesses are those of a copy that goes on
  std::vector<thread_slot> copier_slots; ///< by thread; older than the phase: none yet
  struct range {
    std::uintptr_t begin;
    std::size_t size_bytes;
  };
  std::vector<range> shared; ///< of this grid, at every depth
  /// What listens; null where the depth is `ops`.
  class listener* checked_by = nullptr;
};
[[nodiscard]] state& now() noexcept;
/// Slots are about to change hands.
void order_changes();
/// True for the shared memory of the running grid's blocks.
[[nodiscard]] bool in_shared_memory(std::uintptr_t address) noexcept;
/// Linear index in its block of the thread that `mockgpu_indices` names.
[[nodiscard]] unsigned running_thread() noexcept;

/// Whoever judges accesses by the order of threads.
class listener {
public:
  virtual void grid_begins() = 0;
  virtual void grid_ends() = 0;
  virtual void block_begins() = 0;
  virtual void block_suspended(block_token) = 0;
  virtual void block_resumed(block_token) = 0;
  /// Slots have changed hands: nothing of the threads before may be put off any longer.
  virtual void order_changes() = 0;
  /// All threads of the running block, or of the grid, meet at a barrier. What they did before is
  /// still known by its slots.
  virtual void block_meets() = 0;
  virtual void grid_meets() = 0;
  /// Slots start again from 1: everything known is of the past.
  virtual void slots_restart() = 0;
  virtual void shared_memory(std::uintptr_t begin, std::size_t size_bytes) = 0;
  /// A part of a copy that its thread does not wait for, in the slot that `mockgpu_indices` names.
  /// \param completes it becomes an access of the thread, and is ordered after itself.
  virtual void copies(std::uintptr_t begin, std::size_t size_bytes, bool write,
                      void const* return_address, bool completes) = 0;
  /// Whether a thread of the running grid has read some of these bytes plainly.
  [[nodiscard]] virtual bool read_plainly(std::uintptr_t address, std::size_t size_bytes) = 0;

protected:
  ~listener() = default;
};

} // namespace mockgpu::thread_order
