#pragma once
/// \file Takes part in one run of an exploration: follows the plan, then goes on with whatever is
/// not asleep, and writes down what happens. Footprints of different runs are compared, so memory
/// is named by where it is in the mock's own range, which each run fills alike, and pageable memory
/// by which operations use it; other pageable memory is only the host's.
#include <functional>

#include "order/touch_observer.hpp"
#include "schedule/run_trace.hpp"

namespace mockgpu {

class run_recorder final : public touch_observer {
public:
  /// \param emit receives the points of the run one by one, each when its step is over.
  run_recorder(run_plan, std::function<void(trace_point const&)> emit);

  /// The host is at a point, or an operation has ended. \param host_base what the host has waited
  /// for.
  void at_point(std::vector<chain_index> const& candidates, clock_ref const& host_base);
  /// What to choose; for `next_operation` among the candidates of the point.
  [[nodiscard]] unsigned decide(choice, unsigned alternatives);
  /// An operation is queued by the host's step.
  void queued(issue_number);
  /// An operation runs as the step of this point.
  void runs(chain_index, issue_number, std::uint64_t name, clock_ref const& base);
  void touch(std::uintptr_t begin, std::size_t size_bytes, bool write) override;
  void use_host_memory(std::uintptr_t begin, std::size_t size_bytes) override;
  void note_read(touched_range);
  void note_write(touched_range);
  /// The run is over.
  void close(clock_ref const& host_base);

  /// True once everything that could go on was asleep: the run repeats another one.
  [[nodiscard]] bool redundant() const noexcept { return redundant_; }

private:
  void end_step(clock_ref const& host_base);
  void push(choice, unsigned alternatives, std::vector<chain_index> candidates, unsigned taken);
  [[nodiscard]] unsigned choose();

  run_plan plan_;
  std::function<void(trace_point const&)> emit_;
  std::vector<trace_point> open_; // the step of the last point, and choices within it
  std::vector<chain_index> candidates_;
  std::vector<sleeper> sleepers_;
  std::size_t points_ = 0;
  std::uint32_t host_steps_ = 1;
  std::vector<std::uint32_t> queued_by_; // host's step, by issue
  struct host_memory {
    std::uintptr_t begin, end;
    std::uint64_t place;
  };
  std::vector<host_memory> host_memory_;
  std::uint64_t next_place_ = std::uint64_t{1} << 62;
  bool redundant_ = false;
};

} // namespace mockgpu
