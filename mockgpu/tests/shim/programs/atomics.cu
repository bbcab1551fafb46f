// The vendors' atomics on all their types: results, and no finding where two streams update at once.
#include <cstdio>

struct totals {
  int i;
  unsigned u;
  unsigned long long l;
  float f;
  double d;
  int low, high;
  unsigned bits;
  int swapped;
};

__global__ void update(totals* t) {
  int const me = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&t->i, 1);
  atomicAdd(&t->u, 2u);
  atomicAdd(&t->l, 3ull);
  atomicAdd(&t->f, 0.5f);
  atomicAdd(&t->d, 0.25);
  atomicMin(&t->low, -me);
  atomicMax(&t->high, me);
  atomicOr(&t->bits, 1u << (me % 8));
  atomicCAS(&t->swapped, 0, 77);
}

int main() {
  totals* t = nullptr;
  cudaStream_t a, b;
  if (cudaMalloc(&t, sizeof *t) != cudaSuccess)
    return 1;
  cudaMemset(t, 0, sizeof *t);
  cudaDeviceSynchronize();
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  void* arguments[] = {&t};
  cudaLaunchKernel((void*)update, dim3(4), dim3(25), arguments, 0, a);
  cudaLaunchKernel((void*)update, dim3(4), dim3(25), arguments, 0, b);
  cudaDeviceSynchronize();
  totals host;
  cudaMemcpy(&host, t, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %u %llu %g %g %d %d %u %d\n", host.i, host.u, host.l, host.f, host.d, host.low, host.high, host.bits,
              host.swapped);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  return cudaFree(t);
}
