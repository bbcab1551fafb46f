// Copies in, a kernel and copies out, each chunk on the next of several streams, so that the copies
// of one chunk overlap the kernel of another. A buffer is used again once its event has come.
#include "check.hpp"

namespace {

constexpr int streams = 3, chunks = 9, n = 256;
constexpr std::size_t bytes = n * sizeof(float);

__global__ void scale(float const* in, float* out, float factor, int size) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = in[i] * factor;
}

} // namespace

int main() {
  float *host_in[streams], *host_out[streams], *in[streams], *out[streams];
  cudaStream_t stream[streams];
  cudaEvent_t done[streams];
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaHostAlloc(&host_in[s], bytes, cudaHostAllocDefault));
    CHECK(cudaHostAlloc(&host_out[s], bytes, cudaHostAllocDefault));
    CHECK(cudaMalloc(&in[s], bytes));
    CHECK(cudaMalloc(&out[s], bytes));
    CHECK(cudaStreamCreate(&stream[s]));
    CHECK(cudaEventCreate(&done[s]));
  }

  bool right = true;
  for (int chunk = 0; chunk < chunks + streams; ++chunk) {
    int const s = chunk % streams;
    if (chunk >= streams) { // what was sent `streams` chunks ago
#ifndef REUSE_BUFFER_EARLY
      CHECK(cudaEventSynchronize(done[s]));
#endif
      for (int i = 0; i < n; ++i)
        right = right && host_out[s][i] == 2.0f * float(chunk - streams + i);
    }
    if (chunk >= chunks) continue;
    for (int i = 0; i < n; ++i) host_in[s][i] = float(chunk + i);
    CHECK(cudaMemcpyAsync(in[s], host_in[s], bytes, cudaMemcpyHostToDevice, stream[s]));
    float factor = 2;
    int size = n;
    void* arguments[] = {&in[s], &out[s], &factor, &size};
    CHECK(cudaLaunchKernel((void const*)scale, dim3(n / 64), dim3(64), arguments, 0, stream[s]));
#ifdef COPY_ON_OTHER_STREAM
    cudaStream_t const back = stream[(s + 1) % streams];
#else
    cudaStream_t const back = stream[s];
#endif
    CHECK(cudaMemcpyAsync(host_out[s], out[s], bytes, cudaMemcpyDeviceToHost, back));
    CHECK(cudaEventRecord(done[s], back));
  }

  CHECK(cudaDeviceSynchronize());
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaFreeHost(host_in[s]));
    CHECK(cudaFreeHost(host_out[s]));
    CHECK(cudaFree(in[s]));
    CHECK(cudaFree(out[s]));
    CHECK(cudaEventDestroy(done[s]));
    CHECK(cudaStreamDestroy(stream[s]));
  }
  std::puts(right ? "passed" : "wrong results");
  return right ? 0 : 1;
}
