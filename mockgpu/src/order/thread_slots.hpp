#pragma once
/// \file Numbers for the places of threads in a grid. A thread has one slot from its start, or from
/// its last barrier, on; slots grow as the grid runs, so a few bounds tell most orders.
#include <cstdint>
#include <vector>

namespace mockgpu {

/// A place of a thread; 0 is none. Slots of a block are consecutive: for each phase between
/// barriers of the block one per thread, then those handed out at warp barriers and fences.
using thread_slot = std::uint32_t;

/// Shadow cells hold a slot and four bits beside it.
inline constexpr thread_slot slot_limit = thread_slot{1} << 28;

/// Stands for one of the block's threads that is not known.
inline constexpr unsigned unknown_thread = ~0u;

/// A thread by name.
struct thread_place {
  std::uint64_t block = 0; ///< linear, x first
  unsigned thread = 0;     ///< linear in the block, x first
  bool operator==(thread_place const&) const = default;
};

class thread_slots {
public:
  /// \param first slot of the grid's first thread.
  void begin_grid(unsigned threads_per_block, thread_slot first);
  /// A block starts or goes on. \param block its linear index.
  void begin_block(std::uint64_t block);
  /// All threads of the block get new slots.
  void begin_phase();
  /// Slots for `count` threads from `first_thread` on. \returns the first.
  thread_slot hand_out(unsigned first_thread, unsigned count);
  /// Slots from here on are ordered after everything before: what is known of those is dropped.
  void forget_past() noexcept;

  [[nodiscard]] thread_slot block_begin() const noexcept { return block_begin_; }
  [[nodiscard]] thread_slot phase_begin() const noexcept { return phase_begin_; }
  [[nodiscard]] thread_slot next() const noexcept { return next_; }
  [[nodiscard]] unsigned threads_per_block() const noexcept { return threads_per_block_; }

  /// Whose slot this is, one of the current grid.
  [[nodiscard]] thread_place place_of(thread_slot) const;
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }

private:
  /// Slots [offset, offset + count) from the block's first belong to consecutive threads.
  struct group {
    std::uint32_t offset;
    std::uint16_t first_thread, count;
    bool operator==(group const&) const = default;
  };
  /// Consecutive blocks, upwards or downwards, whose slots are shared out alike.
  struct run {
    thread_slot first;
    std::uint32_t stride; // slots of one block
    std::uint64_t first_block, count;
    std::uint32_t shape; // index in shapes_
    bool downwards;
    [[nodiscard]] std::uint64_t block(std::uint64_t index, bool down) const noexcept {
      return down ? first_block - index : first_block + index;
    }
  };
  void close_block();
  [[nodiscard]] run const* run_of(thread_slot) const;
  [[nodiscard]] static unsigned thread_in(std::vector<group> const&, std::uint32_t offset);

  unsigned threads_per_block_ = 0;
  thread_slot block_begin_ = 0, phase_begin_ = 0, next_ = 0;
  std::uint64_t block_ = 0;
  bool open_ = false;
  std::vector<group> groups_; // of the current block
  std::vector<run> runs_;     // of the blocks before
  std::vector<std::vector<group>> shapes_;
};

} // namespace mockgpu
