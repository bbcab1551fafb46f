// CUB's collectives of blocks and warps. With the argument "reuse", a temporary storage is used
// twice without a barrier in between.
#include <cstdio>
#include <cstring>

#include <cub/cub.cuh>

constexpr int threads = 64, items = 3;

struct longest {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

template <class T>
static __global__ void collect(T const* __restrict__ in, T* __restrict__ out, bool reuse) {
  using reduction = cub::BlockReduce<T, threads>;
  using scan = cub::BlockScan<T, threads>;
  using loading = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using storing = cub::BlockStore<T, threads, items>;
  using warp_reduction = cub::WarpReduce<T>;
  __shared__ typename reduction::TempStorage first;
  __shared__ union {
    typename scan::TempStorage scanned;
    typename loading::TempStorage loaded;
  } second;
  __shared__ typename warp_reduction::TempStorage warps[threads / 32];
  T mine[items];
  loading(second.loaded).Load(in, mine, threads * items - 1, 100);
  T const sum = reduction(first).Sum(mine);
  if (!reuse) __syncthreads();
  T const most = reduction(first).Reduce(mine[0], longest());
  T before, total;
  scan(second.scanned).ExclusiveSum(mine[0], before, total);
  __syncthreads();
  scan(second.scanned).InclusiveSum(mine, mine);
  T const of_warp = warp_reduction(warps[threadIdx.x / 32]).Sum(1);
  storing().Store(out, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = most;
    out[3] = of_warp;
  }
  if (threadIdx.x == 5) out[2] = before + total;
}

int main(int argc, char** argv) {
  int host[threads * items];
  for (int i = 0; i < threads * items; ++i) host[i] = i;
  int *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, sizeof host) != cudaSuccess || cudaMalloc(&out, sizeof host) != cudaSuccess)
    return 1;
  if (cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  dim3 const gridDim(1), blockDim(threads); // names that the device language has too
  collect<<<gridDim, blockDim>>>(in, out, argc > 1 && std::strcmp(argv[1], "reuse") == 0);
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("sum %d most %d before and total %d warp %d prefix %d last %d\n", host[0], host[1],
              host[2], host[3], host[4], host[threads * items - 1]);
  return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
