#pragma once
/// \file Explores the orders of a whole process: the process forks at its first runtime call, once
/// for each order, and each child goes on with the program.
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "mockgpu/control.hpp"
#include "schedule/run_recorder.hpp"

namespace mockgpu {

/// In a child: the order that it is to run, and its connection to the process that plans.
class order_child {
public:
  order_child(run_plan, std::set<std::string> known, int connection);

  [[nodiscard]] run_recorder& recorder() noexcept { return recorder_; }
  /// False for a finding that an earlier order has reported.
  [[nodiscard]] bool is_new(finding const&);
  /// The run has come to its end; without this it was cut short.
  void finished(statistics const&);

private:
  int connection_;
  std::set<std::string> known_;
  run_recorder recorder_;
};

/// Returns in children only. The calling process plans, waits, tells what the orders came to, and
/// ends: with the first exit code of a child that is not 0; with 2 where
/// there are more orders than `max_orders` or where several threads run already; with
/// `nondeterministic_exit_code` where a child does something else than the order it repeats.
/// The standard output of the first order is kept, that of the others is not.
[[nodiscard]] std::unique_ptr<order_child>
serve_orders(options const&, std::function<void(covered_orders const&)> const& tell);

} // namespace mockgpu
