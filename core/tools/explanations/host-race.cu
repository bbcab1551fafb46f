__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int *x, *seen;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMallocHost(&seen, 32 * sizeof(int));
  fill<<<1, 32, 0, s>>>(x);
  cudaMemcpyAsync(seen, x, 32 * sizeof(int), cudaMemcpyDeviceToHost, s);
#ifdef CURED
  cudaStreamSynchronize(s);
#endif
  int const first = seen[0]; // the copy may still write it
  cudaStreamSynchronize(s);
  cudaFreeHost(seen);
  cudaFree(x);
  cudaStreamDestroy(s);
  return first < 0;
}
