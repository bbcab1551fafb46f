// What a checked access costs: the plain loop over threads, mockgpu with all checks, and the
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
  explicit device_data(int side) {
    bench::host_data host(side);
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
    view = {static_cast<double*>(target), static_cast<double*>(source), static_cast<int*>(indices),
            side};
  }
  ~device_data() {
    (void)cudaFree(view.target);
    (void)cudaFree(const_cast<double*>(view.source));
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
      bench::measure(state, bench::plain::run, one.kind, data.view(one.side));
    })->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((std::string(one.name) + "/mockgpu").c_str(),
                                 [one](benchmark::State& state) {
                                   device_data const data(one.side);
                                   auto const before = mockgpu::current_statistics().accesses;
                                   bench::measure(state, bench::checked::run, one.kind, data.view);
                                   if (mockgpu::current_statistics().accesses == before)
                                     state.SkipWithError("no access was checked");
                                 })
        ->Unit(benchmark::kMicrosecond);
  }
  collector results;
  benchmark::RunSpecifiedBenchmarks(&results);
  auto const sanitized = run_sanitized();
  if (!mockgpu::finish().empty()) {
    std::fprintf(stderr, "the benchmark's own kernels have findings\n");
    return 1;
  }
  std::printf("\n%-16s %14s %14s %14s %10s %10s\n", "per element", "plain [ns]", "mockgpu [ns]",
              "TSan [ns]", "mockgpu", "TSan");
  for (auto const& one : bench::cases) {
    std::string const name = one.name;
    auto const plain = results.nanoseconds.find(name + "/plain");
    auto const checked = results.nanoseconds.find(name + "/mockgpu");
    auto const other = sanitized.find(name);
    if (plain == results.nanoseconds.end() || checked == results.nanoseconds.end()) continue;
    double const elements = static_cast<double>(one.side) * one.side;
    std::printf("%-16s %14.3f %14.3f", one.name, plain->second / elements,
                checked->second / elements);
    if (other == sanitized.end())
      std::printf(" %14s %9.1fx %10s\n", "not run", checked->second / plain->second, "");
    else
      std::printf(" %14.3f %9.1fx %9.1fx\n", other->second / elements,
                  checked->second / plain->second, other->second / plain->second);
  }
  return 0;
}
