#pragma once
/// \file What the running thread knows of the others beyond what bounds of slots tell: warp
/// barriers, and fences around atomics (gpu rule D10). A fence by one thread, an atomic of it after
/// the fence, an atomic of another thread on the same address later on, and a fence or barrier of
/// that thread after it: what was before the first fence is ordered before what follows the last.
/// An atomic that releases is a fence for itself only, one that acquires for what it finds.
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "order/thread_order.hpp"
#include "order/thread_slots.hpp"

namespace mockgpu {

class thread_clock {
public:
  explicit thread_clock(thread_slots& slots) : slots_(slots) {}

  void begin_grid();
  void begin_block();
  /// Keeps what is known of the running block until `resume_block`, which gets new slots for it.
  /// \returns its number.
  [[nodiscard]] std::uint32_t suspend_block();
  void resume_block(std::uint32_t number);
  /// Before the slots of the next phase are handed out.
  void block_barrier();
  /// Before the slots of the next phase are handed out.
  void grid_barrier();
  void warp_barrier(unsigned first_thread, std::uint64_t lanes);
  void fence(unsigned thread, thread_order::fence_scope, thread_order::memory_order);
  /// What the thread's atomic accesses have found is known to it from now on.
  void acquire(unsigned thread);
  /// An atomic access by a thread, after which it may have read what others published there. Its
  /// own memory order, as far as the scope reaches, concerns this address only.
  struct atomic_place {
    std::uintptr_t address;
    bool shared; ///< of the running block
  };
  void atomic(unsigned thread, atomic_place, thread_order::fence_scope, thread_order::memory_order,
              bool writes);

  /// The slot of a thread of the block now.
  [[nodiscard]] thread_slot slot_of(unsigned thread) const {
    return own_.empty() ? slots_.phase_begin() + thread : own_[thread];
  }
  /// True once bounds of slots no longer tell the orders inside of a block: there have been warp
  /// barriers, fences, or suspended blocks.
  [[nodiscard]] bool irregular() const noexcept { return irregular_; }
  /// True once a fence, or an atomic with a memory order, may have ordered blocks.
  [[nodiscard]] bool fenced() const noexcept { return fenced_; }
  /// True once blocks have been suspended: slots of one block lie apart.
  [[nodiscard]] bool interleaved() const noexcept { return !suspended_.empty(); }

  /// Is what was done in slot `earlier` ordered before what `thread` does now? For slots of the
  /// grid since its last grid barrier. \param atomic it was an atomic access: the access that
  /// publishes is ordered before whoever learns of it.
  [[nodiscard]] bool ordered(thread_slot earlier, unsigned thread, bool atomic) const;
  /// The same for two atomic accesses, of which the later one needs no fence of its own.
  [[nodiscard]] bool reaches(thread_slot earlier, unsigned thread) const;

private:
  struct log;
  using log_map = std::unordered_map<std::uintptr_t, std::shared_ptr<log>>;
  using knowledge = std::map<std::shared_ptr<log>, std::size_t>; ///< how many entries of each
  /// What a fence makes ready to be published: slots of one block.
  struct release {
    std::uint64_t block = 0;
    std::vector<std::pair<thread_slot, thread_slot>> ranges; ///< all slots in them, half open
    std::vector<std::pair<unsigned, thread_slot>> own; ///< of single threads, up to and including
    thread_order::fence_scope scope = thread_order::fence_scope::device;
    knowledge known;
  };
  using release_ref = std::shared_ptr<release const>;
  struct log_entry {
    release_ref what;
    unsigned thread;       ///< that published it
    thread_slot publisher; ///< its slot then
  };
  /// What was published at one address, in order.
  struct log {
    std::vector<log_entry> entries;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_block;
    std::vector<std::uint32_t> with_knowledge;
  };
  struct thread_state {
    release_ref released[2]; ///< by the last fence of each scope
    knowledge pending;       ///< read, without a fence since
    knowledge known;
    knowledge known_of_block; ///< by fences of block scope: what its own block has published
  };
  struct warp_state {
    std::uint64_t lanes = 0;        ///< of all barriers so far, while they are alike
    thread_slot bound = 0;          ///< slots of those lanes below this are known to them
    std::vector<thread_slot> known; ///< by [lane][other lane], once barriers differ
  };
  /// Slots that a block had before it was suspended.
  struct stint {
    thread_slot begin, end;
    thread_slot ordered_end; ///< below, all are ordered before what the block does now
  };
  struct block_state {
    std::uint64_t number = 0;
    std::unordered_map<unsigned, warp_state> warps; ///< by first thread; of the phase
    std::vector<unsigned> warp_of;                  ///< first thread of the warp, by thread
    std::unordered_map<unsigned, thread_state> threads;
    log_map logs;         ///< of its shared memory
    release_ref released; ///< by fences before the last barrier
    knowledge known;
    std::vector<stint> stints;
  };
  static constexpr unsigned most_lanes = 64;

  static void join(knowledge& into, knowledge const& from);
  [[nodiscard]] static release_ref merge(std::vector<release_ref> const&);
  /// What is ordered before the running thread, and what it has done, which ends with its slot.
  [[nodiscard]] release_ref make_release(unsigned thread, thread_order::fence_scope);
  [[nodiscard]] std::shared_ptr<log>* find_log(atomic_place);
  void publish(atomic_place, unsigned thread, release_ref const&);
  /// \param own_block only what threads of the running block have published, and what they knew.
  [[nodiscard]] bool covers(knowledge const&, thread_slot earlier, bool atomic,
                            bool own_block = false) const;
  [[nodiscard]] static bool covers(log_entry const&, thread_slot earlier, unsigned thread,
                                   bool atomic);
  [[nodiscard]] bool known_in_warp(thread_slot earlier, unsigned thread) const;
  void note_irregular();
  void forget_logs();
  static void spread(warp_state&);

  thread_slots& slots_;
  bool irregular_ = false, fenced_ = false;
  std::vector<thread_slot> own_; // by thread; empty while slots are those of the phase
  block_state block_;
  std::vector<block_state> suspended_;         // by number; since the last grid barrier or before
  log_map logs_;                               // of memory that all blocks see
  std::vector<std::shared_ptr<log>> all_logs_; // since the last grid barrier
  std::shared_ptr<log> latest_;                // of the last atomic access that has found one
};

} // namespace mockgpu
