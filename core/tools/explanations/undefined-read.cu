__global__ void increment(int* x) { x[threadIdx.x] += 1; }

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int)); // holds anything
#ifdef CURED
  cudaMemset(x, 0, 32 * sizeof(int));
#endif
  increment<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
