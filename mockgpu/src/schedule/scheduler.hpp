#pragma once
/// \file Who runs next. All choices of the mock are made here, from a seed.
#include <functional>
#include <vector>

#include "device/stream.hpp"
#include "mockgpu/control.hpp"

namespace mockgpu {

class scheduler {
public:
  /// `run` executes one operation.
  scheduler(schedule_kind, std::uint64_t seed, std::function<void(stream&, operation&)> run);

  void add(stream&);    ///< its chain is not in use by another stream
  void remove(stream&); ///< its queue is empty

  /// An operation has been queued: the schedule may run some.
  void queued(stream&);
  /// Runs what is needed for `issue` of a chain to be done.
  void run_until(chain_index, issue_number issue);
  /// Runs everything.
  void drain();
  /// The program has asked whether `issue` is done. After some answers of "no" there is progress.
  [[nodiscard]] bool query(chain_index, issue_number issue);

  [[nodiscard]] bool done(chain_index chain, issue_number issue) const noexcept {
    return issue <= executed_[chain];
  }
  /// Smallest issue number that has not been run, or the largest number there is.
  [[nodiscard]] issue_number oldest_queued() const noexcept;
  /// A choice of the schedule: late (true) or at once. Eager says no, lazy yes.
  [[nodiscard]] bool choose_late();
  [[nodiscard]] std::uint64_t executed_count() const noexcept { return executed_count_; }

private:
  [[nodiscard]] stream* blocker(operation const&) const noexcept;
  [[nodiscard]] std::uint64_t draw(std::uint64_t below);
  void run_head(stream&);
  bool run_any();

  schedule_kind kind_;
  std::uint64_t state_;
  std::function<void(stream&, operation&)> run_;
  std::vector<stream*> by_chain_;
  std::vector<issue_number> executed_;
  std::uint64_t executed_count_ = 0;
  unsigned refused_queries_ = 0;
};

} // namespace mockgpu
