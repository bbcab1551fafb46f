#include "schedule/scheduler.hpp"

#include <algorithm>
#include <limits>

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {
// A loop that polls must end: after so many answers of "not ready", something runs.
constexpr unsigned patience = 3;
} // namespace

scheduler::scheduler(choices& source, std::function<bool(stream&, operation&)> run)
    : choices_(source), run_(std::move(run)), by_chain_(1), executed_(1), asked_(1),
      scanned_(1),
      priorities_(source) {}

void scheduler::add(stream& one) {
  if (by_chain_.size() <= one.chain) {
    by_chain_.resize(one.chain + std::size_t{1});
    executed_.resize(one.chain + std::size_t{1});
    asked_.resize(one.chain + std::size_t{1});
    scanned_.resize(one.chain + std::size_t{1});
  }
  by_chain_[one.chain] = &one;
  scanned_[one.chain] = 1;
  priorities_.add(one.chain);
}

void scheduler::remove(stream& one) {
  MOCKGPU_ASSERT((one.queue.empty()) && "a stream leaves when its work has run");
  by_chain_[one.chain] = nullptr;
}

/// Eager and lazy run what is needed and nothing else, so they have nothing to choose from.
bool scheduler::on_demand() const noexcept {
  return choices_.schedule() == schedule_kind::eager || choices_.schedule() == schedule_kind::lazy;
}

/// The stream whose head has to run before the head of `one`, or null. What did not block a head
/// once does not block it later, so a head scans its clock once.
stream* scheduler::blocker(stream const& one) noexcept {
  operation const& head = one.queue.front();
  if (!head.base) return nullptr;
  clock const& base = *head.base;
  for (std::size_t& chain = scanned_[one.chain]; chain < base.size(); ++chain)
    if (base[chain] > executed_[chain]) return by_chain_[chain];
  return nullptr;
}

bool scheduler::run_head(stream& one) {
  operation head = std::move(one.queue.front());
  one.queue.pop_front();
  scanned_[one.chain] = 1;
  if (!run_(one, head)) {
    one.queue.push_front(std::move(head)); // it has not been run until it ends
    one.suspended = true;
    ++suspended_;
    return false;
  }
  count_head(one, head.issue);
  return true;
}

void scheduler::count_head(stream& one, issue_number issue) {
  executed_[one.chain] = issue;
  ++executed_count_;
  refused_queries_ = 0;
}

void scheduler::end_suspended(chain_index chain) {
  stream& one = *by_chain_[chain];
  MOCKGPU_ASSERT((one.suspended) && "an operation ends once");
  one.suspended = false;
  --suspended_;
  issue_number const issue = one.queue.front().issue;
  one.queue.pop_front();
  count_head(one, issue);
}

stream* scheduler::next(bool host_could) {
  ready_.clear();
  for (stream* const one : by_chain_)
    if (one != nullptr && !one->queue.empty() && !one->suspended && blocker(*one) == nullptr)
      ready_.push_back(one);
  MOCKGPU_ASSERT((host_could || !ready_.empty() || suspended_ != 0) &&
                 "the order of operations has no cycle");
  if (!host_could && ready_.empty()) return nullptr;

  if (choices_.schedule() == schedule_kind::exhaustive) {
    candidates_.clear();
    if (host_could) candidates_.push_back(host_chain);
    for (stream const* const one : ready_) candidates_.push_back(one->chain);
    if (recorder_ != nullptr) recorder_->at_point(candidates_, *host_base_);
    chain_index const taken =
        candidates_[choices_.draw(choice::next_operation, unsigned(candidates_.size()))];
    return taken == host_chain ? nullptr : by_chain_[taken];
  }
  if (choices_.schedule() == schedule_kind::pct) {
    for (;;) {
      stream* best = nullptr;
      for (stream* const one : ready_)
        if (best == nullptr || priorities_.above(one->chain, best->chain)) best = one;
      bool const host =
          host_could && (best == nullptr || priorities_.above(host_chain, best->chain));
      if (priorities_.drops(host ? host_chain : best->chain)) continue;
      return host ? nullptr : best;
    }
  }
  if (ready_.empty()) return nullptr;
  if (host_could && choices_.draw(choice::host_goes_on, 2) != 0) return nullptr;
  return ready_[choices_.draw(choice::next_operation, unsigned(ready_.size()))];
}

void scheduler::queued(stream& one) {
  if (recorder_ != nullptr) recorder_->queued(one.last_issue);
  if (choices_.schedule() == schedule_kind::eager) run_needed(one.chain, one.last_issue);
  if (on_demand()) return;
  while (stream* const goes_on = next(true)) run_head(*goes_on);
}

bool scheduler::run_until(chain_index target, issue_number issue) {
  if (on_demand()) return run_needed(target, issue);
  while (!done(target, issue)) {
    stream* const goes_on = next(false);
    if (goes_on == nullptr) return false;
    run_head(*goes_on);
  }
  // The host could go on now, but need not be the first to do so.
  if (choices_.schedule() == schedule_kind::exhaustive)
    while (stream* const goes_on = next(true)) run_head(*goes_on);
  return true;
}

void scheduler::may_run_until(chain_index target, issue_number issue) {
  // Where every order is run, those in which the work came first are among them.
  if (choices_.schedule() == schedule_kind::exhaustive) return;
  if (done(target, issue) || choices_.draw(choice::may_wait, 2) != 0) return;
  static_cast<void>(run_until(target, issue));
}

bool scheduler::run_needed(chain_index target, issue_number issue) {
  if (done(target, issue)) return true; // also where the stream has left
  // Chains of waits may be as long as the program: no recursion.
  std::vector<std::pair<stream*, issue_number>> goals = {{by_chain_[target], issue}};
  while (!goals.empty()) {
    auto const [goal, until] = goals.back();
    if (done(goal->chain, until)) {
      goals.pop_back();
      continue;
    }
    MOCKGPU_ASSERT((!goal->queue.empty()) && "an operation that has not run is queued");
    if (stream* const first = blocker(*goal))
      goals.emplace_back(first, covered(goal->queue.front().base, first->chain));
    else if (goal->suspended || !run_head(*goal))
      return false;
  }
  return true;
}

bool scheduler::run_ready() {
  bool all = true;
  for (std::size_t chain = 1; chain < by_chain_.size(); ++chain)
    if (stream* const one = by_chain_[chain]; one != nullptr && !one->queue.empty())
      all = run_until(one->chain, one->queue.back().issue) && all;
  return all;
}

bool scheduler::has_queued() const noexcept {
  return std::any_of(by_chain_.begin(), by_chain_.end(), [](stream const* one) {
    return one != nullptr && !one->queue.empty();
  });
}

void scheduler::one_step_towards(chain_index chain) {
  stream* head = by_chain_[chain];
  while (stream* const first = blocker(*head)) head = first;
  if (!head->suspended) run_head(*head);
}

bool scheduler::query(chain_index chain, issue_number issue, bool host_has_waited) {
  if (choices_.schedule() == schedule_kind::eager && done(chain, issue)) {
    if (!host_has_waited && !seems_done(chain, issue) && ++refused_queries_ <= patience)
      return false;
    asked_[chain] = std::max(asked_[chain], issue);
    return true;
  }
  if (on_demand() || choices_.schedule() == schedule_kind::random) {
    if (done(chain, issue)) return true;
    if (choices_.schedule() == schedule_kind::random)
      if (stream* const goes_on = next(true)) run_head(*goes_on);
    if (!done(chain, issue) && ++refused_queries_ > patience) one_step_towards(chain);
    return done(chain, issue);
  }
  bool const impatient = refused_queries_ >= patience;
  if (impatient && choices_.schedule() == schedule_kind::pct) priorities_.lower(host_chain);
  while (stream* const goes_on = next(!impatient || done(chain, issue) || suspended_ != 0))
    run_head(*goes_on);
  if (!done(chain, issue)) ++refused_queries_;
  if (recorder_ != nullptr) recorder_->note_read(status_of(issue));
  return done(chain, issue);
}

issue_number scheduler::oldest_queued() const noexcept {
  issue_number oldest = std::numeric_limits<issue_number>::max();
  for (stream const* const one : by_chain_)
    if (one != nullptr && !one->queue.empty()) oldest = std::min(oldest, one->queue.front().issue);
  return oldest;
}

bool scheduler::all_queued_follow(chain_index chain, issue_number issue) const noexcept {
  // What a stream has waited for only grows: its first operation knows least.
  for (stream const* const one : by_chain_)
    if (one != nullptr && !one->queue.empty()) {
      operation const& first = one->queue.front();
      if (!happens_before(chain, issue, {one->chain, first.issue, first.base})) return false;
    }
  return true;
}

} // namespace mockgpu
