#pragma once
/// \file Races between the threads of one kernel, in device memory and in the shared memory of a
/// block, by the order of threads (rule D10): never by what ran first.
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "memory/memory.hpp"
#include "order/access.hpp"
#include "order/guessed_reads.hpp"
#include "order/pending.hpp"
#include "order/thread_cells.hpp"
#include "order/thread_order.hpp"
#include "order/thread_order_state.hpp"
#include "order/word_history.hpp"

namespace mockgpu {

/// An access of a thread.
struct thread_touch {
  std::uintptr_t address = 0;
  std::size_t size_bytes = 0;
  thread_access access = thread_access::read;
  void const* return_address = nullptr;       ///< of the hook
  bool uses_content = true;                   ///< so that undefined bytes matter
  bool writes = true;                         ///< of atomic accesses: a load does not
  thread_order::memory_order order{};         ///< of an atomic access
  thread_order::memory_order failure_order{}; ///< the same for a compare-and-swap that fails
  std::optional<std::uint64_t> expected = std::nullopt; ///< by a compare-and-swap, up to 8 bytes
};

/// Two accesses of threads that nothing orders, and all bytes where that happened.
struct thread_race {
  struct side {
    void const* return_address = nullptr;
    thread_access access = thread_access::read;
    thread_place place;
  };
  side first, second;     ///< of the first pair that was noticed, in the order in which they ran
  bool same_value = true; ///< all of them wrote what was there already
  bool same_block = true; ///< of the first pair
  violation bytes;        ///< offsets in the allocation, or in the shared range
};

/// Reads of shared memory that no thread of the block has written.
struct undefined_shared_read {
  void const* return_address = nullptr;
  thread_place place;
  violation bytes;
};

class thread_races final : thread_order::listener {
public:
  /// \param context of the operation that runs a grid.
  thread_races(memory&, operation_context& context);
  ~thread_races();
  thread_races(thread_races const&) = delete;
  thread_races& operator=(thread_races const&) = delete;

  /// An access by the running thread, before it is made.
  void access(thread_touch const&);

  /// From the next grid on, no access of it is settled by the hooks alone.
  void judge_each_access() noexcept { settled_by_hooks_ = quick_checks::none; }

  /// Where a race lies: an allocation, or a shared range.
  struct place_key {
    std::uint32_t allocation = 0; ///< 0: shared memory
    std::uintptr_t shared_begin = 0;
    access_site_index sites[2] = {}; ///< in no order
    thread_access accesses[2] = {};
    auto operator<=>(place_key const&) const = default;
  };
  using found_races = std::map<place_key, thread_race>;
  using found_reads = std::map<std::pair<std::uintptr_t, access_site_index>, undefined_shared_read>;
  /// What was found since the last call.
  [[nodiscard]] found_races take_races();
  [[nodiscard]] found_reads take_undefined_reads();
  [[nodiscard]] bool empty() const noexcept { return races_.empty() && undefined_.empty(); }

private:
  /// What is in memory at an address that accesses are noted by.
  [[nodiscard]] void const* content_at(std::uintptr_t address) const noexcept {
    return reinterpret_cast<void const*>(memory_.variables.content_of(address));
  }
  using entry = word_access_entry;
  using entries = word_history;
  /// Shared memory of a block.
  struct shared_range {
    std::uintptr_t begin = 0;
    std::size_t size_bytes = 0;
    thread_slot newest = 0;             ///< slot of the last access that went the whole way
    std::vector<shadow_record> records; // without states
  };
  /// The cells of shared memory that a suspended block has used, by index in `shared_`.
  struct saved_cells {
    thread_cell block_begin;
    std::vector<std::pair<std::size_t, shared_range>> memory;
    std::unordered_map<std::uintptr_t, entries> lists;
  };
  /// A write over a write by an unordered thread: whether it changes anything shows when it is
  /// done.
  struct unsettled {
    place_key key;
    std::uintptr_t word;
    std::uint8_t mask;
    std::uint8_t before[4];
  };
  struct word {
    std::uintptr_t address; ///< of its first byte
    thread_cell& cell;
    access_site_index& site;
    shared_range const* shared; ///< null: other memory
  };

  void grid_begins() override;
  void grid_ends() override;
  void block_begins() override;
  void block_suspended(thread_order::block_token) override;
  void block_resumed(thread_order::block_token) override;
  void order_changes() override;
  void block_meets() override;
  void grid_meets() override;
  void slots_restart() override;
  void shared_memory(std::uintptr_t begin, std::size_t size_bytes) override;
  void copies(std::uintptr_t begin, std::size_t size_bytes, bool write, void const* return_address,
              bool completes) override;
  [[nodiscard]] bool read_plainly(std::uintptr_t address, std::size_t size_bytes) override;

  void touch(word const&, unsigned mask, thread_access, access_site_index);
  [[nodiscard]] bool touch_quickly(word const&, unsigned mask, thread_access, access_site_index);
  void touch_slowly(word const&, unsigned mask, thread_access, access_site_index);
  [[nodiscard]] entries expand(word const&) const;
  void store(word const&, entries&&);
  [[nodiscard]] unsigned defined_in(word const&) const;
  [[nodiscard]] static word word_at(record_range const&, std::uintptr_t address,
                                    shared_range const*) noexcept;
  [[nodiscard]] bool unit_has_definition(word const&, record_range const&) const;
  void check_defined(word const&, unsigned mask, record_range const&, access_site_index);
  [[nodiscard]] bool ordered(entry const&) const;
  [[nodiscard]] bool reaches(entry const&) const;
  [[nodiscard]] guessed_reads::reader running_reader(std::uintptr_t address) const;
  void judge(word const&, entry const& before, entry const& now);
  [[nodiscard]] guessed_reads::verdict judge_guess(word const&, unsigned mask,
                                                   guessed_reads::exchange);
  void forget_own_reads(word const&, unsigned mask);
  void report(guessed_reads::conflicts const&);
  void report(std::uintptr_t address, entry const& before, entry const& now);
  void settle();
  [[nodiscard]] access_site_index site_of(void const* return_address);
  /// The records of the memory that holds the address; without any where it is no memory that
  /// threads share. \param shared set where it is shared memory.
  [[nodiscard]] record_range records_at(std::uintptr_t address, std::size_t& size_bytes,
                                        shared_range*& shared);
  void show_shared(shared_range&, std::uintptr_t address);
  void hide_ranges() noexcept;
  [[nodiscard]] thread_cell fresh_end(word const&) const noexcept;

  memory& memory_;
  std::unordered_map<std::uintptr_t, entries> lists_; // by address of the word; of this grid
  std::vector<shared_range> shared_;                  // of this grid
  std::vector<saved_cells> suspended_;                // by token
  std::vector<unsettled> unsettled_;
  guessed_reads guesses_;
  std::set<std::uint64_t> suspended_blocks_;
  bool completes_copy_ = false; ///< the running thread's own copies are ordered before its access
  found_races races_;
  found_reads undefined_;
  std::vector<void const*> site_addresses_ = {nullptr};
  std::unordered_map<void const*, access_site_index> sites_;
  bool restarted_ = false;  // slots have started again in this grid: what is defined is not known
  unsigned unit_bytes_ = 1; // of the access that is being judged (padding.hpp)
  std::size_t next_shown_ = 0; // place in grid_view.shared
  operation_context& context_;
  quick_checks settled_by_hooks_ = quick_checks::grid;
};

/// The one of this process at depth `threads`, or null.
extern thread_races* active_thread_races;

} // namespace mockgpu
