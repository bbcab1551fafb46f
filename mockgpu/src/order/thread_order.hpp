#pragma once
/// \file What orders the threads of one kernel: the calls by which whoever runs a grid says what
/// happens in it. Between `begin_grid` and `end_grid` the running thread is the one that
/// `mockgpu_indices` names. One grid at a time, on one host thread; calls outside of a grid do
/// nothing.
#include <cstddef>
#include <cstdint>

namespace mockgpu::thread_order {

void begin_grid(unsigned threads_per_block);
void end_grid();

/// The block that `mockgpu_indices` names starts. Its shared memory is undefined.
void begin_block();
/// A block that has started and not ended, while others run.
using block_token = std::uint32_t;
/// The running block is left before its end, to go on later: at a grid barrier, or because it waits
/// for another one. Called before the next block begins or goes on, and while its static shared
/// memory is still in place.
[[nodiscard]] block_token suspend_block();
/// A suspended block goes on; its shared memory is what it was. A token is used once.
void resume_block(block_token);

/// `mockgpu_indices` names another thread of the block that has not just been stepped to by the
/// launch loop of the shim: a parked thread goes on, or a fresh loop begins at this thread.
void switch_thread();

/// Every thread of the block that has not ended has arrived (__syncthreads). Called once, before
/// any of them goes on.
void block_barrier();
/// Every thread of the grid that has not ended has arrived (cooperative groups' grid sync). Called
/// once, while all of its blocks are suspended or have ended.
void grid_barrier();
/// The named lanes of a warp have all arrived (__syncwarp, shuffles, votes). Called once, before
/// any of them goes on. \param first_thread linear index in the block of the warp's lane 0.
void warp_barrier(unsigned first_thread, std::uint64_t lanes);

/// Whether a thread of the grid has read some of these bytes plainly, as far as that is known: it
/// may have done so to guess what a compare-and-swap is to find.
[[nodiscard]] bool read_plainly(std::uintptr_t address, std::size_t size_bytes);

/// How far a fence, or an atomic access with a memory order, reaches.
enum class fence_scope : std::uint8_t { block, device };
/// What a memory order asks for: to know what others have released, to release what was done.
struct memory_order {
  bool acquires = false, releases = false;
};
inline constexpr memory_order both_ways{true, true};
/// \param order one of the compilers' `__ATOMIC_` numbers
[[nodiscard]] memory_order order_of(int order) noexcept;
/// A fence by the running thread (__threadfence, __threadfence_system; __threadfence_block).
void fence(fence_scope = fence_scope::device, memory_order = both_ways);
/// The running thread knows from now on what its atomic accesses have found.
void acquire();
/// An atomic access by the running thread, before it is judged. \param writes so that others may
/// find it: neither loads nor a compare-and-swap that fails do
void atomic(std::uintptr_t address, fence_scope, memory_order, bool writes);

/// These bytes are the block's shared memory, undefined when a block starts. Holds until
/// `end_grid`; a second call for the same address changes the size. Blocks that are alive at the
/// same time may share an address whose content is exchanged, or have one each.
void shared_memory(void* begin, std::size_t size_bytes);

} // namespace mockgpu::thread_order
