__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
#ifdef CURED
  cudaMalloc(&x, 32 * sizeof(int));
#else
  cudaMalloc(&x, 31 * sizeof(int)); // for 32 threads
#endif
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
