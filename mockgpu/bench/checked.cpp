// What a checked access costs: the plain loop over threads, mockgpu at both depths, and the
// compiler's ThreadSanitizer on the same text, which runs in a process of its own. Prints the
// ratios at the end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <cuda_runtime_api.h>
#include <mockgpu/control.hpp>

#include "cases.hpp"

namespace {

/// The buffers of a case in the mock's device memory.
struct device_data {
  bench::buffers view{};
  explicit device_data(bench::measured_case const& one) {
    bench::host_data host(one);
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

/// The least times by name so far.
using least_times = std::map<std::string, double>;
void keep(least_times& times, std::string const& name, double time) {
  auto const [known, fresh] = times.try_emplace(name, time);
  if (!fresh) known->second = std::min(known->second, time);
}

/// Times of the other process, which prints "NAME NANOSECONDS" lines and takes the same arguments.
void run_sanitized(int argc, char** argv, least_times& times) {
  std::string command =
      "'" +
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mockgpu_bench_sanitized")
          .string() +
      "'";
  for (int i = 1; i < argc; ++i) command += " '" + std::string(argv[i]) + "'";
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(command.c_str(), "r"), pclose);
  char name[64];
  double time = 0;
  while (pipe && std::fscanf(pipe.get(), "%63s %lf", name, &time) == 2) keep(times, name, time);
}

double run_plain(bench::measured_case const& one) {
  bench::host_data data(one);
  return bench::measure(bench::plain::run, one.kind, data.view(one));
}

double run_checked(bench::measured_case const& one, mockgpu::checking_depth depth) {
  mockgpu::options chosen;
  chosen.checked = depth;
  mockgpu::reset(chosen);
  double time = 0;
  {
    device_data const data(one);
    auto const before = mockgpu::current_statistics().accesses;
    time = bench::measure(bench::checked::run, one.kind, data.view);
    if (mockgpu::current_statistics().accesses == before) {
      std::fprintf(stderr, "%s: no access was checked\n", one.name);
      std::exit(1);
    }
  }
  if (!mockgpu::finish().empty()) {
    std::fprintf(stderr, "%s: the kernels have findings\n", one.name);
    std::exit(1);
  }
  return time;
}

} // namespace

int main(int argc, char** argv) {
  least_times plain, operations, threads, sanitized;
  constexpr int rounds = 2; // all ways in turn, so that a slow minute meets all of them
  for (int round = 0; round < rounds; ++round) {
    for (auto const& one : bench::cases) {
      if (!bench::is_wanted(one, argc, argv)) continue;
      keep(plain, one.name, run_plain(one));
      keep(operations, one.name, run_checked(one, mockgpu::checking_depth::operations));
      keep(threads, one.name, run_checked(one, mockgpu::checking_depth::threads));
    }
    run_sanitized(argc, argv, sanitized);
  }
  std::printf("%-24s %10s %10s %10s %10s %8s %8s %8s\n", "ns per element", "plain", "ops",
              "threads", "TSan", "ops", "threads", "TSan");
  for (auto const& one : bench::cases) {
    std::string const name = one.name;
    if (!plain.contains(name)) continue;
    double const base = plain[name];
    std::printf("%-24s %10.3f", one.name, base);
    for (auto* const other : {&operations, &threads, &sanitized})
      std::printf(" %10.3f", (*other)[name]);
    for (auto* const other : {&operations, &threads, &sanitized})
      std::printf(" %7.1fx", (*other)[name] / base);
    std::printf("\n");
  }
  return 0;
}
