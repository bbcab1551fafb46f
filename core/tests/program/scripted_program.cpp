// Exported names and conventions of a DaCe library. Init arguments: N, gt_external_gpu_stream.
#include <cstddef>
#include <vector>

namespace {

struct state {
  int init_n;
  char* workspace = nullptr;
  long long workspace_n = 0;
  int recorded_error = 0;
};

int live_states = 0;
int fail_next_init = 0;
int fail_next_call = 0;
int fail_next_exit = 0;

} // namespace

extern "C" {

int scripted_live_states() { return live_states; }
void scripted_fail_init() { fail_next_init = 1; }
void scripted_fail_call(int status) { fail_next_call = status; }
void scripted_fail_exit(int status) { fail_next_exit = status; }

state* __dace_init_scripted(int N, long long) {
  if (fail_next_init != 0) {
    fail_next_init = 0;
    return nullptr;
  }
  ++live_states;
  return new state{N};
}
int __dace_exit_scripted(state* self) {
  int const status = fail_next_exit;
  fail_next_exit = 0;
  --live_states;
  delete self;
  return status;
}
std::size_t __dace_get_external_memory_size_CPU_Heap(state*, int N, long long) {
  return static_cast<std::size_t>(N) * 1'000'000'000ULL * (N > 2 ? 1 : 0) +
         8 * static_cast<std::size_t>(N);
}
void __dace_set_external_memory_CPU_Heap(state* self, char* base, int N, long long) {
  self->workspace = base;
  self->workspace_n = N;
}
// out[0..5]: init N, workspace N, call N, factor, flag, whether the workspace is set
void __program_scripted(state* self, double* out, float factor, bool flag, int N,
                        long long stream) {
  self->recorded_error = fail_next_call;
  fail_next_call = 0;
  out[0] = self->init_n;
  out[1] = static_cast<double>(self->workspace_n);
  out[2] = N;
  out[3] = factor;
  out[4] = flag ? 1 : 0;
  out[5] = self->workspace != nullptr ? 1 : 0;
  out[6] = static_cast<double>(stream);
}
int __dace_gpu_last_error(state* self) {
  int const status = self->recorded_error;
  self->recorded_error = 0;
  return status;
}

} // extern "C"
