#include "mock_backend.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "assay/error.hpp"
#include "assay/runtime_factory.hpp"
#include "finding_json.hpp"
#include "mockgpu/control.hpp"
#include "mockgpu/findings.hpp"

namespace assay::tool {
namespace {

class mock_backend final : public check_backend {
public:
  void start(check_cell const& cell, std::vector<std::string> const& extra_edges,
             listener tell) override {
    mockgpu::options options;
    options.dialect = cell.dialect;
    if (cell.schedule.kind == schedule_kind::device)
      throw error(errc::invalid_input, "the mock has no schedule of a device");
    options.fault = cell.fault;
    options.checked = cell.depth == check_depth::threads ? mockgpu::checking_depth::threads
                                                         : mockgpu::checking_depth::operations;
    try {
      mockgpu::parse_schedule(to_text(cell.schedule), options);
      for (std::string const& edge : extra_edges)
        options.extra_edges.push_back(mockgpu::parse_missing_edge(edge));
      options.device_count = cell.devices;
      options.advice = cell.advice;
      mockgpu::configure(options);
    } catch (std::invalid_argument const& problem) {
      throw error(errc::invalid_input, problem.what());
    }
    mockgpu::set_sink([report = std::move(tell.on_finding)](mockgpu::finding const& found) {
      report(to_core(found));
    });
    mockgpu::set_orders_sink(
        [report = std::move(tell.on_orders)](mockgpu::covered_orders const& seen) {
          report(seen.orders, seen.problem);
        });
    gpu_ = make_gpu_runtime();
    watcher_ = make_observer();
  }
  gpu_runtime& gpu() override { return *gpu_; }
  observer& watcher() override { return *watcher_; }
  [[nodiscard]] call_counts counts() const override {
    mockgpu::statistics const seen = mockgpu::current_statistics();
    return {seen.calls, {seen.allocation_calls, seen.release_calls}};
  }
  totals finish() override {
    static_cast<void>(mockgpu::finish()); // the sink has told of each finding already
    mockgpu::statistics const seen = mockgpu::current_statistics();
    return {seen.operations, seen.accesses, mockgpu::current_token(), seen.first_fault,
            mockgpu::unhooked_code()};
  }

private:
  std::unique_ptr<gpu_runtime> gpu_;
  std::unique_ptr<observer> watcher_;
};

} // namespace

std::unique_ptr<check_backend> make_mock_backend() { return std::make_unique<mock_backend>(); }

} // namespace assay::tool
