// A library with DaCe's exported names that checks how it is used. Init arguments: N,
// gt_external_gpu_stream. Workspaces: GPU_Global of 8 N bytes, CPU_Heap of 4 N bytes; none below 0.
#include <algorithm>
#include <cstddef>

namespace {

struct state {
  long long init_n, stream;
  char* device = nullptr;
  char* host = nullptr;
  long long device_n = -1, host_n = -1;
  int recorded_error = 0;
};
int live_states = 0, violations = 0, calls = 0;
int calls_until_failure = -1, fails_init = 0, fails_exit = 0;

std::size_t bytes(long long n, int each) {
  return static_cast<std::size_t>(std::max(n, 0LL)) * static_cast<std::size_t>(each);
}

} // namespace

extern "C" {

int life_live_states() { return live_states; }
int life_violations() { return violations; }
int life_calls() { return calls; }
void life_fail_call(int after) { calls_until_failure = after; }
void life_fail_init(int status) { fails_init = status; }
void life_fail_exit(int status) { fails_exit = status; }

state* __dace_init_life(long long N, long long stream) {
  if (fails_init != 0) {
    fails_init = 0;
    return nullptr;
  }
  ++live_states;
  return new state{N, stream};
}
int __dace_exit_life(state* self) {
  --live_states;
  delete self;
  int const status = fails_exit;
  fails_exit = 0;
  return status;
}
std::size_t __dace_get_external_memory_size_GPU_Global(state*, long long N, long long) {
  return bytes(N, 8);
}
void __dace_set_external_memory_GPU_Global(state* self, char* base, long long N, long long) {
  self->device = base;
  self->device_n = N;
}
std::size_t __dace_get_external_memory_size_CPU_Heap(state*, long long N, long long) {
  return bytes(N, 4);
}
void __dace_set_external_memory_CPU_Heap(state* self, char* base, long long N, long long) {
  self->host = base;
  self->host_n = N;
}
void __program_life(state* self, long long N, long long stream) {
  ++calls;
  if (N > 0 && (self->device == nullptr || self->host == nullptr)) ++violations; // null bases
  if (N > 0 && (self->device_n != N || self->host_n != N)) ++violations;         // stale sizes
  if (stream != self->stream) ++violations;
  self->recorded_error = calls_until_failure == 0 ? 700 : 0;
  if (calls_until_failure >= 0) --calls_until_failure;
}
int __dace_gpu_last_error(state* self) {
  int const status = self->recorded_error;
  self->recorded_error = 0;
  return status;
}

// A program of the same kind with twelve arrays and no workspace, to measure calls with.
state* __dace_init_many(long long N, long long stream) { return new state{N, stream}; }
int __dace_exit_many(state* self) {
  delete self;
  return 0;
}
void __program_many(state* self, void* a, void*, void*, void*, void*, void*, void*, void*, void*,
                    void*, void*, void*, long long, long long) {
  self->device = static_cast<char*>(a);
}

} // extern "C"
