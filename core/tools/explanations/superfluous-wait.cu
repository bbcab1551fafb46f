__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32, 0, s>>>(x);
  cudaStreamSynchronize(s);
#ifndef CURED
  cudaStreamSynchronize(s);
#endif
  cudaFree(x);
  cudaStreamDestroy(s);
}
