/// \file The process of one run of `assay check --backend cuda` (or hip): no checker, a real
/// device.
/// `--probe` prints the device instead, or the reason why there is none.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <sys/prctl.h>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "assay/runtime_factory.hpp"
#include "gpu_names.h"

namespace {

class device_backend final : public assay::check_backend {
public:
  void start(assay::check_cell const&, std::vector<std::string> const&, listener) override {
    gpu_ = assay::make_gpu_runtime();
    watcher_ = assay::make_observer();
  }
  assay::gpu_runtime& gpu() override { return *gpu_; }
  assay::observer& watcher() override { return *watcher_; }
  // Nothing is counted: a device tells neither calls, nor operations, nor accesses.
  [[nodiscard]] call_counts counts() const override { return {}; }
  totals finish() override { return {}; }

private:
  std::unique_ptr<assay::gpu_runtime> gpu_;
  std::unique_ptr<assay::observer> watcher_;
};

/// The name decides what the vendors' compilers build for: it is part of a library's cache key.
std::string describe_device() {
  int device = 0;
  assay_device_properties properties;
  auto status = ASSAY_GPU(GetDevice)(&device);
  if (status == ASSAY_GPU(Success)) status = ASSAY_GPU(GetDeviceProperties)(&properties, device);
  if (status != ASSAY_GPU(Success))
    throw assay::error(assay::errc::environment, ASSAY_GPU(GetErrorString)(status));
  return std::string(properties.name) + ", " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor);
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--probe") == 0) {
    try {
      static_cast<void>(assay::make_gpu_runtime());
      std::puts(describe_device().c_str());
      return 0;
    } catch (assay::error const& problem) {
      std::puts(problem.what());
      return static_cast<int>(problem.code());
    }
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the run must not outlive the check that started it
  std::string const instruction(std::istreambuf_iterator<char>(std::cin), {});
  device_backend backend;
  return assay::run_cell(instruction, backend, /*descriptor=*/3);
}
