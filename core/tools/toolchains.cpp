#include "toolchains.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "program/process.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

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

std::string program_beside(std::string const& program, std::string const& what) {
  fs::path const path = executable_directory() / program;
  if (!fs::exists(path)) throw error(errc::environment, what, {}, path.string());
  return path.string();
}

std::string driver(std::string const& program) {
  return program_beside(program, "the compiler driver is missing");
}

void use_mock(toolchain& tools, target target) {
  tools.flags.emplace_back("-fPIC");
  tools.host_compiler = {driver("mockgpu-cxx")};
  // Kernels become host code, so the generated headers must not choose the vendors' instructions.
  tools.device_compiler = {driver(target == target::hip ? "mockgpu-hipcc" : "mockgpu-nvcc"),
                           "-U__CUDACC__", "-U__HIPCC__"};
  tools.linker = {tools.device_compiler.front()};
  for (std::string const& command : {tools.host_compiler.front(), tools.device_compiler.front()})
    tools.identity += identity_of({command, "--print-identity"});
}

void use_cuda(toolchain& tools) {
  tools.host_compiler = {ASSAY_CUDA_COMPILER, "-x", "c++", "-Xcompiler", "-fPIC"};
  tools.device_compiler = {ASSAY_CUDA_COMPILER, "-x", "cu", "-arch=native", "-Xcompiler", "-fPIC"};
  // One runtime for the program and for the process that calls it: each keeps its own last error.
  tools.linker = {ASSAY_CUDA_COMPILER, "-cudart=shared"};
  tools.identity = identity_of({ASSAY_CUDA_COMPILER, "--version"});
}

void use_hip(toolchain& tools) {
  tools.flags.emplace_back("-fPIC");
  // Without --offload-arch hipcc builds for the devices of this machine.
  tools.device_compiler = {ASSAY_HIP_COMPILER, "-x", "hip"};
  tools.host_compiler = {ASSAY_HIP_COMPILER, "-x", "c++", "-D__HIP_PLATFORM_AMD__"};
  tools.linker = {ASSAY_HIP_COMPILER};
  tools.identity = identity_of({ASSAY_HIP_COMPILER, "--version"});
}

} // namespace

std::string_view name(run_backend value) noexcept {
  switch (value) {
  case run_backend::mock:
    return "mock";
  case run_backend::cuda:
    return "cuda";
  case run_backend::hip:
    break;
  }
  return "hip";
}

run_backend parse_run_backend(std::string_view text) {
  for (run_backend const known : {run_backend::mock, run_backend::cuda, run_backend::hip})
    if (text == name(known)) return known;
  throw error(errc::invalid_input,
              fmt::format("unknown backend '{}' (one of mock, cuda, hip)", text));
}

std::vector<std::string> cell_command(run_backend backend) {
  if (backend == run_backend::mock) return {"/proc/self/exe", "run-cell"};
  return {program_beside(
      fmt::format("assay-cell-{}", name(backend)),
      fmt::format("this build has no {0} backend (configure it with ASSAY_RUNTIMES={0})",
                  name(backend)))};
}

std::string describe_device(run_backend backend) {
  if (backend == run_backend::mock) return {};
  std::vector<std::string> command = cell_command(backend);
  command.emplace_back("--probe");
  command_result result = run_command(command);
  while (result.output.ends_with('\n')) result.output.pop_back();
  if (result.exit_code != 0)
    throw error(errc::environment,
                fmt::format("no {} device to run on: {}", name(backend), result.output));
  return result.output;
}

std::string compute_sanitizer() {
  fs::path const beside = fs::path(ASSAY_CUDA_COMPILER).parent_path() / "compute-sanitizer";
  std::string const program = fs::exists(beside) ? beside.string() : "compute-sanitizer";
  static_cast<void>(identity_of({program, "--version"}));
  return program;
}

toolchain toolchain_of(run_backend backend, target target) {
  fs::path const include = include_directory();
  toolchain tools;
  tools.include_directories = {include};
  tools.flags = {"-std=c++20", "-O1", "-g"};
  if (target == target::cpu) {
    tools.flags.emplace_back("-fPIC");
    tools.host_compiler = tools.linker = {"c++"};
    tools.identity = identity_of({"c++", "--version"});
  } else if (backend == run_backend::mock) {
    use_mock(tools, target);
  } else {
    backend == run_backend::cuda ? use_cuda(tools) : use_hip(tools);
    tools.identity += describe_device(backend);
  }
  tools.identity += headers_text(include / "assay" / "generated");
  return tools;
}

} // namespace assay::tool
