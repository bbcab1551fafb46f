#pragma once
/// \file Copies inside of a kernel that go on while their thread does (cp.async, memcpy_async of
/// barriers, pipelines and groups). Until the thread has waited, or has arrived at the barrier that
/// the copies complete on, they are accesses of somebody else: whoever reads the destination or
/// changes the source races with them, their own thread too, and no barrier of the block helps.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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

  void begin_grid() { pending_.clear(); }
  void add(issuer const& by, copy const& one) { pending_[by].push_back(one); }
  void commit(issuer const& by) { pending_[by].push_back({.ends_batch = true}); }
  /// Takes the copies of all batches but the newest `keep`; those not committed stay.
  [[nodiscard]] std::vector<copy> take(issuer const& by, std::size_t keep);
  [[nodiscard]] std::map<issuer, std::deque<copy>> const& pending() const { return pending_; }
  [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }

private:
  std::map<issuer, std::deque<copy>> pending_;
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
/// The threads of the running block have met: copies that are still under way go on.
void carry_copies_over();

} // namespace thread_order
} // namespace mockgpu
