// What a checked access costs: the plain loop over threads, mockgpu at both depths, and the
// compiler's ThreadSanitizer on the same text, which runs in a process of its own. Prints the
// ratios at the end.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <cuda_runtime_api.h>
#include <mockgpu/control.hpp>

#include "cases.hpp"

namespace {

/// Prints as usual and keeps the processor time of each run, which other work on the machine
/// disturbs least.
class collector : public benchmark::ConsoleReporter {
public:
  void ReportRuns(std::vector<Run> const& runs) override {
    for (Run const& one : runs)
      nanoseconds[one.benchmark_name()] =
          one.GetAdjustedCPUTime() * (one.time_unit == benchmark::kMicrosecond ? 1e3 : 1);
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> nanoseconds;
};

/// The buffers of a case in the mock's device memory.
struct device_data {
  bench::buffers view{};
  explicit device_data(bench::measured_case const& one) {
    bench::host_data host(one.side);
    std::size_t const n = host.target.size();
    void *target = nullptr, *source = nullptr, *indices = nullptr;
    if (cudaMalloc(&target, n * sizeof(double)) != cudaSuccess ||
        cudaMalloc(&source, n * sizeof(double)) != cudaSuccess ||
        cudaMalloc(&indices, n * sizeof(int)) != cudaSuccess)
      std::abort();
    (void)cudaMemcpy(target, host.target.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    (void)cudaMemcpy(source, host.source.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    (void)cudaMemcpy(indices, host.indices.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    (void)cudaDeviceSynchronize();
    view = {target, source, static_cast<int*>(indices), one.side, one.single};
  }
  ~device_data() {
    (void)cudaFree(view.target);
    (void)cudaFree(const_cast<void*>(view.source));
    (void)cudaFree(const_cast<int*>(view.indices));
  }
  device_data(device_data const&) = delete;
  device_data& operator=(device_data const&) = delete;
};

/// Times of the other process, which prints "NAME NANOSECONDS" lines.
std::map<std::string, double> run_sanitized() {
  std::string const program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mockgpu_bench_sanitized")
          .string();
  std::map<std::string, double> times;
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(("'" + program + "'").c_str(), "r"),
                                                   pclose);
  char name[64];
  double time = 0;
  while (pipe && std::fscanf(pipe.get(), "%63s %lf", name, &time) == 2) times[name] = time;
  return times;
}

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (auto const& one : bench::cases) {
    benchmark::RegisterBenchmark((std::string(one.name) + "/plain").c_str(), [one](benchmark::State&
                                                                                       state) {
      bench::host_data data(one.side);
      bench::measure(state, bench::plain::run, one.kind, data.view(one));
    })->Unit(benchmark::kMicrosecond);
    for (bool const threads : {false, true})
      benchmark::RegisterBenchmark(
          (std::string(one.name) + (threads ? "/threads" : "/ops")).c_str(),
          [one, threads](benchmark::State& state) {
            mockgpu::options chosen;
            if (threads) chosen.checked = mockgpu::checking_depth::threads;
            mockgpu::reset(chosen);
            {
              device_data const data(one);
              auto const before = mockgpu::current_statistics().accesses;
              bench::measure(state, bench::checked::run, one.kind, data.view);
              if (mockgpu::current_statistics().accesses == before)
                state.SkipWithError("no access was checked");
            }
            if (!mockgpu::finish().empty()) state.SkipWithError("the kernels have findings");
          })
          ->Unit(benchmark::kMicrosecond);
  }
  collector results;
  benchmark::RunSpecifiedBenchmarks(&results);
  auto const sanitized = run_sanitized();
  std::printf("\n%-24s %10s %10s %10s %10s %8s %8s %8s\n", "ns per element", "plain", "ops",
              "threads", "TSan", "ops", "threads", "TSan");
  for (auto const& one : bench::cases) {
    std::string const name = one.name;
    auto const time = [&](std::map<std::string, double> const& all, std::string const& key) {
      auto const found = all.find(key);
      return found == all.end() ? 0.0 : found->second / (static_cast<double>(one.side) * one.side);
    };
    double const plain = time(results.nanoseconds, name + "/plain");
    if (plain == 0) continue;
    double const others[] = {time(results.nanoseconds, name + "/ops"),
                             time(results.nanoseconds, name + "/threads"), time(sanitized, name)};
    std::printf("%-24s %10.3f", one.name, plain);
    for (double const other : others) std::printf(" %10.3f", other);
    for (double const other : others) std::printf(" %7.1fx", other / plain);
    std::printf("\n");
  }
  return 0;
}
