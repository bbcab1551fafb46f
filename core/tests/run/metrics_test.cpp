// Metrics timers measure the program and nothing else on the device.
#include <cstring>
#include <unistd.h>

#include <gtest/gtest.h>

#include "assay/build.hpp"
#include "assay/case_file.hpp"
#include "assay/compiled_program.hpp"
#include "assay/emit.hpp"
#include "assay/runtime_factory.hpp"
#include "check/e2e_tool.hpp"
#include "cuda_runtime_api.h"
#include "mockgpu/control.hpp"

namespace assay::e2e {
namespace {

constexpr double delay_seconds = 0.3;

bool delay_ran = false;
void delay(void*) {
  usleep(static_cast<useconds_t>(delay_seconds * 1e6));
  delay_ran = true;
}

/// The nabla of GT4Py, built by the drivers and called with all its metrics.
class measured_program {
public:
  measured_program() {
    // Lazy: an operation runs when something waits for it, and only then.
    mockgpu::options lazy;
    lazy.schedule = mockgpu::schedule_kind::lazy;
    mockgpu::reset(lazy);
    mockgpu::set_sink([](mockgpu::finding const&) {});
    delay_ran = false;
    gpu_ = make_gpu_runtime();
    caller = gpu_->create_stream(stream_kind::non_blocking);
    foreign = gpu_->create_stream(stream_kind::non_blocking);
  }

  /// Seconds that the program says it took, with a long delay queued on a stream before.
  double call_behind_a_delay_on(stream_handle stream) {
    settings chosen;
    chosen.mode = memory_mode::pool;
    sdfg::graph const graph = sdfg::read(program_of("gt_nabla"));
    plan::program const plan = plan::lower(graph, chosen);
    toolchain tools;
    tools.host_compiler = {ASSAY_BIN "/mockgpu-cxx"};
    tools.device_compiler = {ASSAY_BIN "/mockgpu-nvcc", "-U__CUDACC__", "-U__HIPCC__"};
    tools.linker = {ASSAY_BIN "/mockgpu-nvcc"};
    tools.flags = {"-std=c++20", "-O1", "-fPIC"};
    tools.include_directories = {ASSAY_INCLUDE};
    scratch const cache;
    built_library const library = build(emit(plan), plan.name, tools, cache.path);

    bound_case const bound =
        bind_case(read_case(case_of("gt_nabla")), graph, {{"gt_metrics_level", 10}});
    argument_values values;
    double seconds = -1;
    values.emplace(
        "gt_external_gpu_stream",
        argument_value::integer(dtype::int64, reinterpret_cast<std::intptr_t>(caller.value)));
    for (bound_argument const& each : bound.arguments) {
      if (!each.array)
        values.emplace(each.name, each.scalar);
      else if (each.name == "gt_compute_time")
        values.emplace(each.name, argument_value::pointer(&seconds));
      else
        values.emplace(each.name, argument_value::pointer(device_copy(each.array->bytes)));
    }
    compiled_program program(library.library, {plan.name, plan.signature, 256, false}, gpu_.get());
    program.initialise(values);
    EXPECT_EQ(cudaLaunchHostFunc(static_cast<cudaStream_t>(stream.value), delay, nullptr),
              cudaSuccess);
    program.call(values);
    delay_ran_in_call = delay_ran;
    gpu_->synchronise_device();
    EXPECT_TRUE(delay_ran) << "it was queued";
    program.finish();
    return seconds;
  }

  stream_handle caller, foreign;
  bool delay_ran_in_call = false;

private:
  void* device_copy(std::vector<std::byte> const& bytes) {
    void* const memory = gpu_->allocate(bytes.size());
    gpu_->copy_async(memory, bytes.data(), bytes.size(), copy_direction::host_to_device, caller);
    gpu_->synchronise(caller);
    return memory;
  }

  std::unique_ptr<gpu_runtime> gpu_;
};

TEST(MetricsTimer, NeitherWaitsForNorCountsTheDelayOfAForeignStream) {
  measured_program program;
  double const seconds = program.call_behind_a_delay_on(program.foreign);
  EXPECT_FALSE(program.delay_ran_in_call);
  EXPECT_GT(seconds, 0.0);
  EXPECT_LT(seconds, delay_seconds);
}

TEST(MetricsTimer, WaitsForItsOwnStreamBeforeItStarts) { // twin: the same delay would be seen
  measured_program program;
  double const seconds = program.call_behind_a_delay_on(program.caller);
  EXPECT_TRUE(program.delay_ran_in_call);
  EXPECT_GT(seconds, 0.0);
  EXPECT_LT(seconds, delay_seconds) << "what was queued before the timer is not the program's";
}

} // namespace
} // namespace assay::e2e
