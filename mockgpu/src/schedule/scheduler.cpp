#include "schedule/scheduler.hpp"

#include <algorithm>
#include <limits>

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {
// A loop that polls must end: after so many answers of "not ready", something runs.
constexpr unsigned patience = 3;
} // namespace

scheduler::scheduler(schedule_kind kind, std::uint64_t seed,
                     std::function<void(stream&, operation&)> run)
    : kind_(kind), state_(seed), run_(std::move(run)), by_chain_(1), executed_(1) {}

void scheduler::add(stream& one) {
  if (by_chain_.size() <= one.chain) {
    by_chain_.resize(one.chain + std::size_t{1});
    executed_.resize(one.chain + std::size_t{1});
  }
  by_chain_[one.chain] = &one;
}

void scheduler::remove(stream& one) {
  MOCKGPU_ASSERT((one.queue.empty()) && "a stream leaves when its work has run");
  by_chain_[one.chain] = nullptr;
}

std::uint64_t scheduler::draw(std::uint64_t below) {
  // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) % below;
}

bool scheduler::choose_late() {
  if (kind_ == schedule_kind::random) return draw(2) == 0;
  return kind_ == schedule_kind::lazy;
}

/// The stream whose head has to run before `one`, or null.
stream* scheduler::blocker(operation const& one) const noexcept {
  if (!one.base) return nullptr;
  clock const& base = *one.base;
  for (std::size_t chain = 1; chain < base.size(); ++chain)
    if (base[chain] > executed_[chain]) return by_chain_[chain];
  return nullptr;
}

void scheduler::run_head(stream& one) {
  operation head = std::move(one.queue.front());
  one.queue.pop_front();
  run_(one, head);
  executed_[one.chain] = head.issue;
  ++executed_count_;
  refused_queries_ = 0;
}

bool scheduler::run_any() {
  std::vector<stream*> ready;
  for (stream* const one : by_chain_)
    if (one != nullptr && !one->queue.empty() && blocker(one->queue.front()) == nullptr)
      ready.push_back(one);
  if (ready.empty()) return false;
  run_head(*ready[draw(ready.size())]);
  return true;
}

void scheduler::queued(stream& one) {
  if (kind_ == schedule_kind::eager) run_until(one.chain, one.last_issue);
  if (kind_ == schedule_kind::random)
    while (draw(2) == 0 && run_any()) {
    }
}

void scheduler::run_until(chain_index target, issue_number issue) {
  if (kind_ == schedule_kind::random) {
    while (!done(target, issue)) {
      bool const progress = run_any();
      MOCKGPU_ASSERT((progress) && "the order of operations has no cycle");
    }
    return;
  }
  if (done(target, issue)) return; // also where the stream has left
  // Chains of waits may be as long as the program: no recursion.
  std::vector<std::pair<stream*, issue_number>> goals = {{by_chain_[target], issue}};
  while (!goals.empty()) {
    auto const [goal, until] = goals.back();
    if (done(goal->chain, until)) {
      goals.pop_back();
      continue;
    }
    MOCKGPU_ASSERT((!goal->queue.empty()) && "an operation that has not run is queued");
    operation const& head = goal->queue.front();
    if (stream* const first = blocker(head))
      goals.emplace_back(first, covered(head.base, first->chain));
    else
      run_head(*goal);
  }
}

void scheduler::drain() {
  for (std::size_t chain = 1; chain < by_chain_.size(); ++chain)
    if (stream* const one = by_chain_[chain]; one != nullptr && !one->queue.empty())
      run_until(one->chain, one->queue.back().issue);
}

bool scheduler::query(chain_index chain, issue_number issue) {
  if (done(chain, issue)) return true;
  if (kind_ == schedule_kind::random && draw(2) == 0) run_any();
  if (!done(chain, issue) && ++refused_queries_ > patience) {
    stream* head = by_chain_[chain]; // one step of what is needed
    while (stream* const first = blocker(head->queue.front())) head = first;
    run_head(*head);
  }
  return done(chain, issue);
}

issue_number scheduler::oldest_queued() const noexcept {
  issue_number oldest = std::numeric_limits<issue_number>::max();
  for (stream const* const one : by_chain_)
    if (one != nullptr && !one->queue.empty()) oldest = std::min(oldest, one->queue.front().issue);
  return oldest;
}

} // namespace mockgpu
