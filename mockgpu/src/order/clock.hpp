#pragma once
/// \file Vector clocks. Everything that has a place in happens-before sits on a chain: a stream, or
/// the host. Places on a chain are issue numbers, which are global and grow, so one number names an
/// operation.
#include <cstdint>
#include <memory>
#include <vector>

namespace mockgpu {

/// Position of a call in issue order, from 1; 0 is none. Equal in every schedule.
using issue_number = std::uint32_t;
/// A slot of a clock.
using chain_index = std::uint16_t;

/// The host. All host threads share one chain, in the real order of their calls: host threads that
/// race with each other are out of scope, and an order that they have must not be missed.
inline constexpr chain_index host_chain = 0;

/// For each stream's chain the last operation that is ordered before. The host's component is
/// mostly implied: an operation is after everything that the host did before the call. It is there
/// where a host function has learnt more from a host thread while it ran.
using clock = std::vector<issue_number>;
/// Immutable and shared: a clock changes only at waits, joins and barriers. Null is the empty
/// clock.
using clock_ref = std::shared_ptr<clock const>;

/// The last operation of `chain` that `base` covers.
[[nodiscard]] inline issue_number covered(clock_ref const& base, chain_index chain) noexcept {
  return base && chain < base->size() ? (*base)[chain] : 0;
}

/// The least clock that covers both; one of the arguments itself where it suffices.
[[nodiscard]] clock_ref join(clock_ref const&, clock_ref const&);
/// The least clock that covers `base` and the operation `issue` of `chain`.
[[nodiscard]] clock_ref join(clock_ref const& base, chain_index chain, issue_number issue);

/// The place of an operation, of a runtime call, or of host code between two calls. Fixed at issue.
struct order_point {
  chain_index chain = host_chain;
  issue_number issue = 0; ///< host code: the number that the next call will get
  clock_ref base;         ///< what is before it on other chains
};

/// True if the place `issue` of `chain` is ordered before `later`.
[[nodiscard]] inline bool happens_before(chain_index chain, issue_number issue,
                                         order_point const& later) noexcept {
  if (chain == later.chain) return issue <= later.issue;
  if (chain == host_chain && issue <= later.issue) return true;
  return issue <= covered(later.base, chain);
}

/// The clock of whatever comes after `point`.
[[nodiscard]] inline clock_ref clock_after(order_point const& point) {
  return point.chain == host_chain ? point.base : join(point.base, point.chain, point.issue);
}

} // namespace mockgpu
