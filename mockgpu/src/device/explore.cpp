#include "mockgpu/explore.hpp"

#include <set>
#include <stdexcept>
#include <string>

#include "device/process.hpp"
#include "schedule/exploration.hpp"

namespace mockgpu {

explored explore(options const& chosen, std::function<void()> const& program) {
  options each = chosen;
  each.schedule = schedule_kind::exhaustive;
  exploration all;
  explored result;
  std::set<std::string> known;
  while (std::optional<run_plan> plan = all.next()) {
    if (all.orders() >= chosen.max_orders)
      throw std::runtime_error("more than " + std::to_string(chosen.max_orders) +
                               " orders: the exploration is not complete");
    run_trace trace;
    run_recorder recorder(std::move(*plan),
                          [&trace](trace_point const& one) { trace.points.push_back(one); });
    reset(each);
    record_runs(&recorder);
    program();
    for (finding& one : finish())
      if (known.insert(identity(one)).second) result.findings.push_back(std::move(one));
    statistics const seen = current_statistics();
    result.operations += seen.operations;
    result.accesses += seen.accesses;
    reset(each); // lets go of the recorder
    record_runs(nullptr);
    trace.redundant = recorder.redundant();
    all.absorb(std::move(trace));
  }
  result.orders = all.orders();
  result.redundant_runs = all.redundant();
  return result;
}

} // namespace mockgpu
