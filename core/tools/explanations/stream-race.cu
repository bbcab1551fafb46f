__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t a, b;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  fill<<<1, 32, 0, a>>>(x);
#ifdef CURED
  cudaEvent_t filled;
  cudaEventCreate(&filled);
  cudaEventRecord(filled, a);
  cudaStreamWaitEvent(b, filled, 0);
  cudaEventDestroy(filled);
#endif
  fill<<<1, 32, 0, b>>>(x); // b does not wait for a
  cudaDeviceSynchronize();
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaFree(x);
}
