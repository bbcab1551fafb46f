__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocAsync(&x, 32 * sizeof(int), a);
#ifdef CURED
  cudaStreamSynchronize(a);
#endif
  fill<<<1, 32, 0, b>>>(x); // may run before the allocation
  cudaStreamSynchronize(b);
  cudaFreeAsync(x, a);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
