__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t a, b;
  cudaEvent_t used;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&used);
  cudaMallocAsync(&x, 32 * sizeof(int), a);
  cudaStreamSynchronize(a);
#ifdef CURED
  fill<<<1, 32, 0, b>>>(x);
  cudaEventRecord(used, b);
  cudaStreamWaitEvent(a, used, 0);
  cudaFreeAsync(x, a);
#else
  cudaFreeAsync(x, a);
  fill<<<1, 32, 0, b>>>(x); // issued after the free: somebody else may own the address
#endif
  cudaDeviceSynchronize();
  cudaEventDestroy(used);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
