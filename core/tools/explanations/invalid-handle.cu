__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&x, 32 * sizeof(int));
#ifdef CURED
  fill<<<1, 32, 0, s>>>(x);
  cudaStreamDestroy(s);
#else
  cudaStreamDestroy(s);
  cudaMemsetAsync(x, 0, 32 * sizeof(int), s);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
}
