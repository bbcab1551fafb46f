// A kernel of device 0 adds up what device 1 has in its memory and in its pool: the program has to
// give access to both, in two ways.
#include "check.hpp"

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void add(int const* from, int const* of_pool, int* to) {
  to[threadIdx.x] = from[threadIdx.x] + of_pool[threadIdx.x];
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 2;
  constexpr int size = 64;
  constexpr std::size_t bytes = size * sizeof(int);
  int *there, *of_pool, *here, result[size];
  cudaStream_t stream;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&there, bytes));
  CHECK(cudaMallocAsync(&of_pool, bytes, stream));
  fill<<<1, size, 0, stream>>>(there, 1);
  fill<<<1, size, 0, stream>>>(of_pool, 2);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));

  CHECK(cudaSetDevice(0));
  int can = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (!can) return 2;
#ifndef WITHOUT_PEER_ACCESS
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
#endif
#ifndef WITHOUT_POOL_ACCESS
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 0;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
#endif
  CHECK(cudaMalloc(&here, bytes));
  add<<<1, size>>>(there, of_pool, here);
  CHECK(cudaGetLastError());
  // Copies between devices need no access.
  CHECK(cudaMemcpy(result, here, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyPeer(here, 0, there, 1, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(here));
  CHECK(cudaFree(there));
  CHECK(cudaFreeAsync(of_pool, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  for (int const one : result)
    if (one != 3) return 1;
  std::puts("passed");
}
