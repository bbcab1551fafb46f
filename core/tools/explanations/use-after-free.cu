__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
#ifdef CURED
  fill<<<1, 32>>>(x);
  cudaFree(x);
#else
  cudaFree(x);
  fill<<<1, 32>>>(x);
#endif
  cudaDeviceSynchronize();
}
