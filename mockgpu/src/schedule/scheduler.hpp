#pragma once
/// \file Who runs next. The scheduler knows what could run; which of it does is drawn from the
/// choices, by the rule of the schedule in force.
#include <functional>
#include <vector>

#include "device/stream.hpp"
#include "mockgpu/control.hpp"
#include "schedule/choices.hpp"
#include "schedule/priorities.hpp"
#include "schedule/run_recorder.hpp"

namespace mockgpu {

class scheduler {
public:
  /// `run` executes one operation; false where it has begun only, and `end_suspended` follows.
  scheduler(choices&, std::function<bool(stream&, operation&)> run);

  void add(stream&);    ///< its chain is not in use by another stream
  void remove(stream&); ///< its queue is empty

  /// An operation has been queued: the schedule may run some.
  void queued(stream&);
  /// Runs what is needed for `issue` of a chain to be done. \returns false if that takes the end of
  /// an operation that has begun.
  [[nodiscard]] bool run_until(chain_index, issue_number issue);
  /// A call that may wait for `issue`, and lends no order by it: it does so or not.
  void may_run_until(chain_index, issue_number issue);
  /// Runs all that can run now. \returns whether nothing is left.
  bool run_ready();
  [[nodiscard]] bool has_queued() const noexcept;
  /// The operation of this chain that had begun has ended.
  void end_suspended(chain_index);
  /// The program has asked whether `issue` is done. After some answers of "no" there is progress.
  /// Work takes time on a device: also where it runs at once, the first answers are "no", unless the
  /// host has waited for it.
  [[nodiscard]] bool query(chain_index, issue_number issue, bool host_has_waited);
  /// Whether `issue` is done as far as the program can tell, by waits apart.
  [[nodiscard]] bool seems_done(chain_index chain, issue_number issue) const noexcept {
    return done(chain, issue) &&
           (choices_.schedule() != schedule_kind::eager || issue <= asked_[chain]);
  }

  [[nodiscard]] bool done(chain_index chain, issue_number issue) const noexcept {
    return issue <= executed_[chain];
  }
  /// Smallest issue number that has not been run, or the largest number there is.
  [[nodiscard]] issue_number oldest_queued() const noexcept;
  /// Every operation that has not been run is ordered after this one.
  [[nodiscard]] bool all_queued_follow(chain_index, issue_number) const noexcept;
  [[nodiscard]] std::uint64_t executed_count() const noexcept { return executed_count_; }

  /// Tells an exploration of every point where an exhaustive schedule decides who goes on, with the
  /// chains that could; the host is the first of them where it could.
  /// \param host_base what the host has waited for, at any time
  void record(run_recorder& by, clock_ref const& host_base) {
    recorder_ = &by;
    host_base_ = &host_base;
  }

private:
  [[nodiscard]] stream* blocker(stream const&) noexcept;
  /// The stream that goes on, or null for the host, or where none can. Not null unless
  /// `host_could`, or an operation that has begun holds all others up.
  [[nodiscard]] stream* next(bool host_could);
  /// False where the head has begun only.
  bool run_head(stream&);
  void count_head(stream&, issue_number issue);
  bool run_needed(chain_index, issue_number issue);
  void one_step_towards(chain_index);
  [[nodiscard]] bool on_demand() const noexcept;

  choices& choices_;
  std::function<bool(stream&, operation&)> run_;
  std::vector<stream*> by_chain_;
  std::vector<issue_number> executed_;
  std::vector<issue_number> asked_;  // in eager: what a query has been about
  std::vector<std::size_t> scanned_; // chains below do not block the head of this one
  std::vector<stream*> ready_;
  std::uint64_t executed_count_ = 0;
  std::size_t suspended_ = 0; // streams whose head has begun
  unsigned refused_queries_ = 0;
  priorities priorities_;
  std::vector<chain_index> candidates_;
  run_recorder* recorder_ = nullptr;
  clock_ref const* host_base_ = nullptr;
};

} // namespace mockgpu
