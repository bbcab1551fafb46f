#pragma once
/// \file How much memory a pool holds. The addresses that it gives out are always new ones (see
/// memory.hpp); which freed bytes a new allocation may stand on is counted here, by the vendors'
/// rules, since programs ask for it and set limits on it.
#include <cstdint>
#include <functional>
#include <list>

#include "order/clock.hpp"

namespace mockgpu {

class pool_accounts {
public:
  /// What a pool may reuse besides memory that was freed earlier on the same stream.
  struct reuse_rules {
    bool follow_event_dependencies = true; ///< freed before, by an event that was waited for
    bool opportunistic = true;             ///< freed in fact, though nothing orders it
    bool internal_dependencies = true;     ///< freed at some time: the allocation waits for that
  };
  /// True if the free with this place has been executed.
  using is_done = std::function<bool(chain_index, issue_number)>;

  /// An allocation at `place`. Sizes in bytes.
  void allocate(std::uint64_t size_bytes, order_point const& place, reuse_rules const&,
                is_done const&);
  void release(std::uint64_t size_bytes, order_point const& place);
  /// Gives back what the host knows to be free, and keeps at least `kept_bytes`: a call to trim the
  /// pool, or a synchronise with the release threshold.
  void trim(order_point const& host, std::uint64_t kept_bytes);

  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  [[nodiscard]] std::uint64_t used_high() const noexcept { return used_high_; }
  [[nodiscard]] std::uint64_t reserved() const noexcept { return reserved_; }
  [[nodiscard]] std::uint64_t reserved_high() const noexcept { return reserved_high_; }
  void reset_used_high() noexcept { used_high_ = used_; }
  void reset_reserved_high() noexcept { reserved_high_ = reserved_; }

private:
  struct free_bytes {
    std::uint64_t size_bytes;
    order_point freed; ///< issue 0: never used
  };
  std::list<free_bytes> free_;
  std::uint64_t used_ = 0, used_high_ = 0, reserved_ = 0, reserved_high_ = 0;
};

} // namespace mockgpu
