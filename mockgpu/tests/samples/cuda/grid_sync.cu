// Two halves of one kernel with a barrier of the whole grid between them: a cooperative launch.
#include "check.hpp"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void smooth(float const* in, float* middle, float* out, int size) {
  cg::grid_group const grid = cg::this_grid();
  int const i = static_cast<int>(grid.thread_rank());
  if (i < size)
    middle[i] = in[i] + in[(i + 1) % size];
#ifdef BLOCK_SYNC_ONLY
  cg::sync(cg::this_thread_block());
#else
  cg::sync(grid);
#endif
  if (i < size)
    out[i] = middle[i] + middle[(i + 1) % size];
}

int main() {
  int cooperative = 0;
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  if (cooperative == 0)
    return 2;
  int size = 200;
  float host[200], result[200];
  for (int i = 0; i < size; ++i)
    host[i] = float(i % 9);
  float *in, *middle, *out;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&middle, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&in, &middle, &out, &size};
  CHECK(cudaLaunchCooperativeKernel((void*)smooth, dim3(4), dim3(64), arguments, 0, nullptr));
  CHECK(cudaMemcpy(result, out, sizeof host, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < size; ++i) {
    float const a = host[i], b = host[(i + 1) % size], c = host[(i + 2) % size];
    right = right && result[i] == a + b + (b + c);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(middle));
  CHECK(cudaFree(out));
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
