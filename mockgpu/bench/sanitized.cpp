// The benchmark's second process: the same kernels under the compiler's ThreadSanitizer, printed
// for checked.cpp.
#include <cstdio>

#include <mockgpu/abi.h>

#include "cases.hpp"

// The mock itself is not here.
mockgpu_index_state mockgpu_indices = {};
unsigned mockgpu_block_dim[3], mockgpu_grid_dim[3];

namespace {

class lines : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const& runs) override {
    for (Run const& one : runs)
      std::printf("%s %f\n", one.benchmark_name().c_str(), one.GetAdjustedCPUTime());
  }
};

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (auto const& one : bench::cases)
    benchmark::RegisterBenchmark(one.name, [one](benchmark::State& state) {
      bench::host_data data(one.side);
      bench::measure(state, bench::sanitized::run, one.kind, data.view(one));
    });
  lines reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
