#pragma once
/// \file Copies inside of a kernel that go on while their thread does (cp.async, memcpy_async of
/// barriers, pipelines and groups). Until the thread has waited, or has arrived at the barrier that
/// the copies complete on, they are accesses of somebody else: whoever reads the destination or
/// changes the source races with them, their own thread too, and no barrier of the block or the
/// grid helps.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "order/thread_slots.hpp"

namespace mockgpu {

/// Copies of thread `t` are accesses of thread `first_copier + t`: more than a block has threads.
inline constexpr unsigned first_copier = 1u << 14;

class async_copies {
public:
  struct copy {
    std::uintptr_t to = 0, from = 0;
    std::size_t size_bytes = 0;
    std::size_t zero_bytes = 0;           ///< that the target gets behind those of the source
    void const* return_address = nullptr; ///< of the call
    bool ends_batch = false;              ///< no copy: those before it have been committed
  };
  /// Whose: a thread, and what it waits by (a barrier, a pipeline; null: the thread's own).
  struct issuer {
    thread_place who;
    void const* owner = nullptr;
    auto operator<=>(issuer const& other) const {
      return std::tuple(who.block, who.thread, owner) <=>
             std::tuple(other.who.block, other.who.thread, other.owner);
    }
  };

  using all_copies = std::map<issuer, std::deque<copy>>;

  void begin_grid() {
    pending_.clear();
    met_.clear();
  }
  /// Nobody waits any more for what the block's threads have begun.
  void end_block(std::uint64_t block) { pending_.erase(begin_of(block), end_of(block)); }
  void add(issuer const& by, copy const& one) { pending_[by].push_back(one); }
  void commit(issuer const& by);
  /// All that was begun for one owner comes behind what the other has.
  void move(issuer const& from, issuer const& to);
  /// Takes the copies of all batches but the newest `keep`; those not committed stay.
  [[nodiscard]] std::vector<copy> take(issuer const& by, std::size_t keep);
  /// All threads of the grid meet: copies of each block go on when the block does.
  void grid_meets();
  /// Whether that has happened since the block went on last, and it has copies under way.
  [[nodiscard]] bool goes_on(std::uint64_t block) { return met_.erase(block) != 0; }
  /// Those of one block, from begin to end.
  [[nodiscard]] all_copies::const_iterator begin_of(std::uint64_t block) const {
    return pending_.lower_bound({{block, 0}, nullptr});
  }
  [[nodiscard]] all_copies::const_iterator end_of(std::uint64_t block) const {
    return pending_.lower_bound({{block + 1, 0}, nullptr});
  }
  [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }

private:
  std::set<std::uint64_t> met_;
  all_copies pending_; // an owner's first is a copy: empty batches before it say nothing
};

namespace thread_order {

/// The accesses that follow are those of a copy which the running thread begins and does not wait
/// for, until `end_copy`.
void begin_copy(void const* owner, async_copies::copy const&);
void end_copy();
/// What the running thread has begun for an owner, and not committed yet, is one batch.
void commit_copies(void const* owner);
/// All batches but the newest `keep` are over: from now on they are accesses of the thread.
void complete_copies(void const* owner, std::size_t keep);
void move_copies(void const* from_owner, void const* to_owner);
/// The threads of the running block, or of the grid, have met: its copies that are still under way
/// go on.
void carry_copies_over();

} // namespace thread_order
} // namespace mockgpu
