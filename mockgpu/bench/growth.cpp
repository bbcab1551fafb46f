// What a long program costs: so many operations on 64 streams with events between them, and so many
// stream-ordered allocations. One line for each length; time and memory have to grow in proportion.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_runtime_api.h"
#include "mockgpu/abi.h"
#include "mockgpu/control.hpp"

namespace {

/// Of this process: what others do on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

void kernel() {}
void run_block(void (*)(), void*) {}

void launch(cudaStream_t stream, void* argument) {
  void* const arguments[] = {&argument};
  mockgpu_argument const layout[] = {{0, sizeof argument}};
  mockgpu_launch one{};
  one.entry_point = "cudaLaunchKernel";
  one.text = "kernel";
  one.file = "growth.cpp";
  one.line = 1;
  for (int axis = 0; axis < 3; ++axis) one.grid[axis] = one.block[axis] = 1;
  one.stream = stream;
  one.entry = kernel;
  one.run_block = run_block;
  one.arguments = arguments;
  one.layout = layout;
  one.argument_count = 1;
  one.closure_bytes = sizeof argument;
  if (mockgpu_launch_kernel(&one) != 0) std::abort();
}

double resident_mib() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) std::abort();
  std::fclose(file);
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void operations_with_events(long count) {
  constexpr std::size_t streams = 64;
  std::vector<cudaStream_t> stream(streams);
  std::vector<cudaEvent_t> event(streams);
  std::vector<void*> memory(streams);
  for (std::size_t i = 0; i < streams; ++i) {
    cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming);
    cudaMalloc(&memory[i], 256);
  }
  // Of four operations one is a record and one a wait for another stream.
  for (long i = 0; i < count; i += 4) {
    std::size_t const at = std::size_t(i / 4) % streams,
                      other = (at * 7 + std::size_t(i / 256)) % streams;
    cudaStreamWaitEvent(stream[at], event[other], 0);
    launch(stream[at], memory[at]);
    cudaMemsetAsync(memory[at], 0, 64, stream[at]);
    cudaEventRecord(event[at], stream[at]);
  }
  cudaDeviceSynchronize();
}

void allocations(long count) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (long i = 0; i < count; i += 3) {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, std::size_t(256) << (i % 7), stream) != cudaSuccess) std::abort();
    cudaMemsetAsync(memory, 0, 256, stream);
    cudaFreeAsync(memory, stream);
  }
  cudaDeviceSynchronize();
}

void launches(long count) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (long i = 0; i < count; ++i) launch(stream, nullptr);
  cudaDeviceSynchronize();
}

/// In a process of its own, so that nothing is left over from the one before.
void measure(char const* name, void (*program)(long), long count, char const* schedule) {
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    mockgpu::options chosen;
    mockgpu::parse_schedule(schedule, chosen);
    mockgpu::set_sink([](mockgpu::finding const&) {});
    mockgpu::configure(chosen);
    cudaFree(nullptr); // the mock is there
    double const before = resident_mib();
    double const start = cpu_seconds();
    program(count);
    double const time = cpu_seconds() - start;
    double const grown = resident_mib() - before;
    std::printf("%-12s %-9s %9ld operations %7.2f s %7.0f ns each %7.0f MiB %6.0f bytes each\n",
                name, schedule, count, time, time / double(count) * 1e9, grown,
                grown * (1 << 20) / double(count));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::abort();
}

} // namespace

int main(int argc, char** argv) {
  long const most = argc > 1 ? std::atol(argv[1]) : 1000000;
  for (char const* const schedule : {"eager", "lazy", "random:1"})
    for (long const count : {most / 8, most / 4, most / 2, most}) {
      measure("events", operations_with_events, count, schedule);
      measure("allocations", allocations, count, schedule);
      measure("launches", launches, count, schedule);
    }
}
