// An application that runs compiled SDFGs: configuration file, command line, backend, workspace.
// All programs share one slab and one stream. Links assay::core with one runtime: mock, cuda or
// hip.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/artifact.hpp"
#include "assay/build.hpp"
#include "assay/case_file.hpp"
#include "assay/emit.hpp"
#include "assay/error.hpp"
#include "assay/plan.hpp"
#include "assay/runtime_factory.hpp"
#include "configuration.hpp"

namespace {

using namespace assay;

/// Builds a program and saves it where a later process finds it.
artifact build_artifact(embed::configuration const& config, backend const& chosen,
                        std::filesystem::path const& sdfg, std::filesystem::path const& folder,
                        std::string const& allocator) {
  auto const graph = sdfg::read(sdfg);
  sdfg::verify(graph);
  auto const plan = plan::lower(graph, chosen.settings);
  toolchain tools;
  tools.host_compiler = config.host_compiler;
  tools.device_compiler = config.device_compiler;
  tools.linker = config.linker;
  tools.flags = config.flags;
  for (auto const& directory : config.include_directories)
    tools.include_directories.emplace_back(directory);
  auto const built = build(emit(plan), plan.name, tools, config.artifacts / "libraries");
  return save_artifact(folder, sdfg, built.library, chosen.settings, allocator);
}

/// A program with arguments of its own, in the memory that it wants them in.
class running_program {
public:
  running_program(artifact const& saved, embed::configuration const& config, backend const& chosen,
                  gpu_runtime* gpu, stream_handle stream, workspace_guard* guard)
      : name_(saved.name), gpu_(gpu), stream_(stream),
        program_(saved.library, saved.interface(), gpu) {
    auto const graph = sdfg::read(saved.program);
    symbol_values known; // symbols of other programs are none of this one's
    for (auto const& argument : sdfg::signature_of(graph).arguments)
      if (auto const found = config.symbols.find(argument.name); found != config.symbols.end())
        known.insert(*found);
    bound_ = make_up_case(graph, /*seed=*/1, known);
    if (!saved.allocator.empty())
      program_.set_workspace_source(find_workspace_source(saved.allocator));
    if (chosen.settings.own_streams == 0 && gpu != nullptr)
      program_.set_external_gpu_stream(
          static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(stream.value)));
    if (guard != nullptr) program_.share_workspace(*guard);
    for (auto& argument : bound_.arguments) place(argument);
    program_.initialise(values_);
  }
  ~running_program() {
    for (void* p : device_) {
      try {
        if (p != nullptr) gpu_->release(p);
      } catch (error const&) { // the process ends
      }
    }
  }
  running_program(running_program const&) = delete;

  void call() { program_.call(values_); }
  /// Sum over the bytes of all arrays, once the stream's work is done.
  void report() {
    unsigned long sum = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      auto& bytes = arrays_[k]->array->bytes;
      if (device_[k] != nullptr) {
        gpu_->copy_async(bytes.data(), device_[k], bytes.size(), copy_direction::device_to_host,
                         stream_);
        gpu_->synchronise(stream_);
      }
      for (std::byte const b : bytes) sum = sum * 31 + static_cast<unsigned long>(b);
    }
    for (auto const& need : program_.workspace_needs())
      std::printf("%s: workspace %s %zu bytes\n", name_.c_str(), need.storage.c_str(),
                  need.size_bytes);
    std::printf("%s: checksum %016lx\n", name_.c_str(), sum);
  }
  void finish() { program_.finish(); }

private:
  std::string name_;
  gpu_runtime* gpu_;
  stream_handle stream_;
  compiled_program program_;
  bound_case bound_;
  argument_values values_;
  std::vector<bound_argument*> arrays_;
  std::vector<void*> device_; ///< null for an array in host memory

  void place(bound_argument& argument) {
    if (!argument.array) {
      values_.emplace(argument.name, argument.scalar);
      return;
    }
    auto& bytes = argument.array->bytes;
    void* memory = nullptr;
    if (gpu_ != nullptr && argument.array->on_device && !bytes.empty()) {
      memory = gpu_->allocate(bytes.size());
      gpu_->copy_async(memory, bytes.data(), bytes.size(), copy_direction::host_to_device, stream_);
    }
    arrays_.push_back(&argument);
    device_.push_back(memory);
    values_.emplace(argument.name,
                    argument_value::pointer(memory != nullptr ? memory : bytes.data()));
  }
};

/// The caller's stream, which ends with its owner.
class caller_stream {
public:
  explicit caller_stream(gpu_runtime* gpu) : gpu_(gpu) {
    if (gpu_ != nullptr) handle_ = gpu_->create_stream(stream_kind::non_blocking);
  }
  ~caller_stream() {
    try {
      if (gpu_ != nullptr) gpu_->destroy_stream(handle_);
    } catch (error const&) { // the process ends
    }
  }
  caller_stream(caller_stream const&) = delete;
  [[nodiscard]] stream_handle handle() const noexcept { return handle_; }

private:
  gpu_runtime* gpu_;
  stream_handle handle_;
};

int run(int argc, char** argv) {
  if (argc < 2) throw error(errc::invalid_input, "usage: embed CONFIGURATION [name=value...]");
  auto const config =
      embed::read_configuration(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2)));
  auto const chosen = make_backend(config.backend);
  for (auto const& warning : chosen.warnings) std::fprintf(stderr, "embed: %s\n", warning.c_str());

  bool const has_gpu = chosen.settings.target != target::cpu;
  auto const gpu = has_gpu ? make_gpu_runtime() : nullptr;
  caller_stream const owned(gpu.get());
  stream_handle const stream = owned.handle();
  slab_allocator slabs({[&](workspace_device const& device, std::size_t size) -> void* {
                          return device.storage == "GPU_Global"
                                     ? gpu->allocate(size)
                                     : std::aligned_alloc(256, (size + 255) / 256 * 256);
                        },
                        [&](workspace_device const& device, void* memory) {
                          device.storage == "GPU_Global" ? gpu->release(memory) : std::free(memory);
                        }},
                       chosen.workspace ? chosen.workspace->size_bytes() : 0);
  std::string const source = chosen.workspace ? "embed.slab" : "";
  if (!source.empty()) register_workspace_source(source, slabs.source());
  std::optional<workspace_guard> guard;
  if (has_gpu) guard.emplace(config.guard, *gpu);

  std::vector<std::unique_ptr<running_program>> programs;
  for (auto const& sdfg : config.programs) {
    auto const folder = config.artifacts / sdfg.parent_path().filename();
    auto const saved = config.load_only ? load_artifact(folder)
                                        : build_artifact(config, chosen, sdfg, folder, source);
    programs.push_back(std::make_unique<running_program>(saved, config, chosen, gpu.get(), stream,
                                                         guard ? &*guard : nullptr));
  }
  // Streams of the programs' own know nothing of what was queued on ours.
  if (has_gpu && chosen.settings.own_streams > 0) gpu->synchronise(stream);
  // One stream orders all calls: nothing waits between them.
  for (int k = 0; k < config.calls; ++k)
    for (auto const& program : programs) program->call();
  if (has_gpu) gpu->synchronise(stream);
  for (auto const& program : programs) program->report();
  for (auto const& program : programs) program->finish();
  programs.clear();
  guard.reset();
  if (!source.empty()) unregister_workspace_source(source);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (assay::error const& problem) {
    std::fprintf(stderr, "embed: error: %s%s%s%s\n", problem.file().c_str(),
                 problem.file().empty() ? "" : ": ", problem.what(),
                 problem.place().empty() ? "" : (" (at " + problem.place() + ")").c_str());
    return static_cast<int>(problem.code());
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "embed: error: %s\n", problem.what());
    return 4;
  }
}
