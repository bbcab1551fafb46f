#include "scripted_run.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "any_access.hpp"
#include "mockgpu/annotate.h"

namespace mockgpu::tests {
namespace {

void perform(touch const& one) {
  auto const begin = reinterpret_cast<std::uintptr_t>(one.where.base);
  for (std::size_t at = 0; at + one.element_bytes <= one.where.size_bytes;
       at += one.element_bytes) {
    void* const element = reinterpret_cast<void*>(begin + at);
    access(begin + at, one.element_bytes, one.kind, nullptr); // no code: the launch is the place
    if (one.kind != access_kind::read) std::memset(element, 1, one.element_bytes);
  }
}

// The kernel is never called as a function of its own: its one argument is the script.
void scripted_kernel() {}

void run_script(void (*)(), void* closure) {
  std::vector<touch> const* script = nullptr;
  std::memcpy(&script, closure, sizeof script);
  for (touch const& one : *script) perform(one);
}

void require(cudaError_t result, char const* call) {
  EXPECT_EQ(result, cudaSuccess) << call << ": " << cudaGetErrorName(result);
}

} // namespace

#define REQUIRE(call) require(call, #call)

scripted_run::scripted_run(options const& chosen) {
  set_sink([](finding const&) {});
  reset(chosen);
}

cudaStream_t scripted_run::add_stream(char const* name, bool blocking) {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
  mockgpu_name_stream(stream, name);
  return stream;
}

region scripted_run::allocate_raw(std::size_t size_bytes, char const* name) {
  region made{nullptr, size_bytes};
  REQUIRE(cudaMalloc(&made.base, size_bytes));
  mockgpu_name_memory(made.base, size_bytes, name);
  return made;
}

region scripted_run::allocate(std::size_t size_bytes, char const* name) {
  region const made = allocate_raw(size_bytes, name);
  REQUIRE(cudaMemset(made.base, 0, size_bytes));
  REQUIRE(cudaDeviceSynchronize());
  return made;
}

region scripted_run::allocate_async(std::size_t size_bytes, cudaStream_t stream) {
  region made{nullptr, size_bytes};
  REQUIRE(cudaMallocAsync(&made.base, size_bytes, stream));
  return made;
}

region scripted_run::allocate_pinned(std::size_t size_bytes) {
  region made{nullptr, size_bytes};
  REQUIRE(cudaMallocHost(&made.base, size_bytes));
  return made;
}

void scripted_run::kernel(cudaStream_t stream, std::vector<touch> script) {
  scripts_.push_back(std::make_unique<std::vector<touch>>(std::move(script)));
  std::vector<touch> const* const pointer = scripts_.back().get();
  void const* arguments[] = {&pointer};
  mockgpu_argument const layout[] = {{0, sizeof pointer}};
  mockgpu_launch launch{};
  launch.entry_point = "cudaLaunchKernel";
  launch.text = "scripted_kernel";
  launch.file = "scripted.cu";
  launch.line = unsigned(scripts_.size());
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  launch.stream = stream;
  launch.entry = scripted_kernel;
  launch.run_block = run_script;
  launch.arguments = const_cast<void* const*>(arguments);
  launch.layout = layout;
  launch.argument_count = 1;
  launch.closure_bytes = sizeof pointer;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), 0);
}

cudaEvent_t scripted_run::add_event() {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}
cudaEvent_t scripted_run::record(cudaStream_t stream) {
  cudaEvent_t const event = add_event();
  record(event, stream);
  return event;
}
void scripted_run::record(cudaEvent_t event, cudaStream_t stream) {
  REQUIRE(cudaEventRecord(event, stream));
}
void scripted_run::wait(cudaStream_t stream, cudaEvent_t event) {
  REQUIRE(cudaStreamWaitEvent(stream, event, 0));
}
void scripted_run::synchronize(cudaStream_t stream) { REQUIRE(cudaStreamSynchronize(stream)); }
void scripted_run::poll(cudaStream_t stream) {
  for (int i = 0; i < 1000; ++i) {
    cudaError_t const answer = cudaStreamQuery(stream);
    if (answer == cudaSuccess) return;
    EXPECT_EQ(answer, cudaErrorNotReady);
    static_cast<void>(cudaGetLastError());
  }
  ADD_FAILURE() << "polling makes no progress";
}
void scripted_run::copy(region target, region source, cudaMemcpyKind kind, cudaStream_t stream) {
  REQUIRE(cudaMemcpyAsync(target.base, source.base, source.size_bytes, kind, stream));
}

void scripted_run::host_reads(void const* memory, std::size_t size_bytes) {
  access_range(reinterpret_cast<std::uintptr_t>(memory), size_bytes, access_kind::read,
               __builtin_return_address(0));
}
void scripted_run::host_writes(void* memory, std::size_t size_bytes) {
  access_range(reinterpret_cast<std::uintptr_t>(memory), size_bytes, access_kind::write,
               __builtin_return_address(0));
}

std::vector<finding> scripted_run::finish(bool count_leaks) {
  if (!count_leaks) mark_baseline();
  return mockgpu::finish();
}

std::vector<finding> in_every_schedule(program const& body, options base, bool count_leaks) {
  std::vector<options> all(10, base);
  all[0].schedule = schedule_kind::eager;
  all[1].schedule = schedule_kind::lazy;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    all[seed + 1].schedule = schedule_kind::random;
    all[seed + 5].schedule = schedule_kind::pct;
    all[seed + 1].seed = all[seed + 5].seed = seed;
  }
  std::vector<finding> first;
  for (std::size_t i = 0; i < all.size(); ++i) {
    scripted_run run(all[i]);
    body(run);
    std::vector<finding> const found = run.finish(count_leaks);
    std::string const token = current_token();
    EXPECT_GT(current_statistics().accesses, 0u) << "nothing was checked";
    if (i == 0)
      first = found;
    else
      EXPECT_EQ(identities(found), identities(first)) << "schedule " << i << ":\n"
                                                      << text_of(found) << "\nagainst eager:\n"
                                                      << text_of(first);
    // The same run again, by its token, says the same in every word.
    options again = base;
    again.schedule = schedule_kind::replay;
    again.token = token;
    scripted_run repeated(again);
    body(repeated);
    EXPECT_EQ(text_of(repeated.finish(count_leaks)), text_of(found)) << "under " << token;
    EXPECT_EQ(current_token(), token);
  }
  return first;
}

std::vector<std::string> kinds(std::vector<finding> const& all) {
  std::vector<std::string> result;
  for (finding const& one : all) result.push_back(one.kind);
  return result;
}
std::set<std::string> identities(std::vector<finding> const& all) {
  std::set<std::string> result;
  for (finding const& one : all) result.insert(identity(one));
  return result;
}
std::string text_of(std::vector<finding> const& all) {
  std::string text;
  for (finding const& one : all) text += to_text(one) + "\n";
  return text;
}

} // namespace mockgpu::tests
