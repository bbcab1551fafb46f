#include "device/pool_accounts.hpp"

#include <algorithm>

namespace mockgpu {
namespace {

// What a pool takes from the device at a time.
constexpr std::uint64_t granule_bytes = std::uint64_t{2} << 20;

constexpr std::uint64_t whole_granules(std::uint64_t size_bytes) {
  return (size_bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
}

} // namespace

void pool_accounts::allocate(std::uint64_t size_bytes, order_point const& place,
                             reuse_rules const& rules, is_done const& done) {
  used_ += size_bytes;
  used_high_ = std::max(used_high_, used_);
  auto const reusable = [&](free_bytes const& one) {
    order_point const& freed = one.freed;
    if (freed.issue == 0 || freed.chain == place.chain || freed.chain == host_chain) return true;
    if (rules.follow_event_dependencies && happens_before(freed.chain, freed.issue, place))
      return true;
    return rules.internal_dependencies || (rules.opportunistic && done(freed.chain, freed.issue));
  };
  std::uint64_t wanted = size_bytes;
  for (auto it = free_.begin(); it != free_.end() && wanted != 0;) {
    if (!reusable(*it)) {
      ++it;
      continue;
    }
    std::uint64_t const taken = std::min(wanted, it->size_bytes);
    wanted -= taken;
    it->size_bytes -= taken;
    it = it->size_bytes == 0 ? free_.erase(it) : std::next(it);
  }
  if (wanted == 0) return;
  std::uint64_t const more = whole_granules(wanted);
  reserved_ += more;
  reserved_high_ = std::max(reserved_high_, reserved_);
  if (more != wanted) free_.push_back({more - wanted, {}});
}

void pool_accounts::release(std::uint64_t size_bytes, order_point const& place) {
  used_ -= size_bytes;
  // A loop that allocates and frees on one stream must not gather entries.
  if (!free_.empty() && free_.back().freed.issue != 0 && free_.back().freed.chain == place.chain) {
    free_.back().size_bytes += size_bytes;
    free_.back().freed = place; // the later one covers the earlier one
  } else {
    free_.push_back({size_bytes, place});
  }
}

void pool_accounts::trim(order_point const& host, std::uint64_t kept_bytes) {
  auto const is_pending = [&](free_bytes const& one) {
    return one.freed.issue != 0 && !happens_before(one.freed.chain, one.freed.issue, host);
  };
  // The device takes back whole granules, and none that is in use, or may be, in part.
  std::uint64_t in_use = used_;
  for (free_bytes const& one : free_)
    if (is_pending(one)) in_use += one.size_bytes;
  std::uint64_t const kept = std::max(kept_bytes, whole_granules(in_use));
  for (auto it = free_.begin(); it != free_.end() && reserved_ > kept;) {
    if (is_pending(*it)) {
      ++it;
      continue;
    }
    std::uint64_t const given = std::min(it->size_bytes, reserved_ - kept);
    reserved_ -= given;
    it->size_bytes -= given;
    it = it->size_bytes == 0 ? free_.erase(it) : std::next(it);
  }
}

} // namespace mockgpu
