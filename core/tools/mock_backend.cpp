#include "mock_backend.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "assay/runtime_factory.hpp"
#include "finding_json.hpp"
#include "mockgpu/control.hpp"
#include "mockgpu/findings.hpp"
#include "program/process.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

class mock_backend final : public check_backend {
public:
  void start(check_cell const& cell, std::vector<std::string> const& extra_edges,
             std::function<void(check_finding const&)> on_finding) override {
    mockgpu::options options;
    options.dialect = cell.dialect;
    switch (cell.schedule.kind) {
    case schedule_kind::eager:
      options.schedule = mockgpu::schedule_kind::eager;
      break;
    case schedule_kind::lazy:
      options.schedule = mockgpu::schedule_kind::lazy;
      break;
    case schedule_kind::random:
      options.schedule = mockgpu::schedule_kind::random;
      break;
    }
    options.seed = cell.schedule.seed;
    options.fault = cell.fault;
    options.checked = cell.depth == check_depth::threads ? mockgpu::checking_depth::threads
                                                         : mockgpu::checking_depth::operations;
    try {
      for (std::string const& edge : extra_edges)
        options.extra_edges.push_back(mockgpu::parse_missing_edge(edge));
      mockgpu::configure(options);
    } catch (std::invalid_argument const& problem) {
      throw error(errc::invalid_input, problem.what());
    }
    mockgpu::set_sink([report = std::move(on_finding)](mockgpu::finding const& found) {
      report(to_core(found));
    });
    gpu_ = make_gpu_runtime();
    watcher_ = make_observer();
  }
  gpu_runtime& gpu() override { return *gpu_; }
  observer& watcher() override { return *watcher_; }
  totals finish() override {
    static_cast<void>(mockgpu::finish()); // the sink has told of each finding already
    mockgpu::statistics const seen = mockgpu::current_statistics();
    return {seen.operations, seen.accesses};
  }

private:
  std::unique_ptr<gpu_runtime> gpu_;
  std::unique_ptr<observer> watcher_;
};

fs::path executable_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// The folder that holds assay/generated/: beside an installed executable, else that of the
/// sources.
fs::path include_directory() {
  for (fs::path const& candidate :
       {executable_directory().parent_path() / "include", fs::path(ASSAY_SOURCE_INCLUDE)})
    if (fs::is_directory(candidate / "assay" / "generated")) return candidate;
  throw error(errc::environment, "the headers of generated code (assay/generated) are missing", {},
              ASSAY_SOURCE_INCLUDE);
}

/// Names and contents of the headers that generated code includes: a change must rebuild.
std::string headers_text(fs::path const& directory) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files); // a directory has no order
  std::string text;
  for (fs::path const& file : files) {
    std::ifstream stream(file, std::ios::binary);
    text += file.filename().string() + '\n';
    text.append(std::istreambuf_iterator<char>(stream), {});
  }
  return text;
}

std::string identity_of(std::vector<std::string> const& command) {
  command_result const result = run_command(command);
  if (result.exit_code != 0)
    throw error(errc::environment, fmt::format("'{}' failed: {}", command.front(), result.output));
  return result.output;
}

} // namespace

std::unique_ptr<check_backend> make_mock_backend() { return std::make_unique<mock_backend>(); }

toolchain mock_toolchain(target target) {
  fs::path const include = include_directory();
  toolchain tools;
  tools.include_directories = {include};
  tools.flags = {"-std=c++20", "-O1", "-g", "-fPIC"};
  if (target == target::cpu) {
    tools.host_compiler = tools.linker = {"c++"};
    tools.identity = identity_of({"c++", "--version"});
  } else {
    auto const driver = [](char const* name) {
      fs::path const path = executable_directory() / name;
      if (!fs::exists(path))
        throw error(errc::environment, "the compiler driver is missing", {}, path.string());
      return path.string();
    };
    tools.host_compiler = {driver("mockgpu-cxx")};
    // Kernels become host code, so the generated headers must not choose the vendors' instructions.
    tools.device_compiler = {driver(target == target::hip ? "mockgpu-hipcc" : "mockgpu-nvcc"),
                             "-U__CUDACC__", "-U__HIPCC__"};
    tools.linker = {tools.device_compiler.front()};
    for (std::string const& command : {tools.host_compiler.front(), tools.device_compiler.front()})
      tools.identity += identity_of({command, "--print-identity"});
  }
  tools.identity += headers_text(include / "assay" / "generated");
  return tools;
}

} // namespace assay::tool
