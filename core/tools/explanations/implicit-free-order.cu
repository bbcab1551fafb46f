__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32>>>(x);
#ifdef CURED
  cudaDeviceSynchronize();
#endif
  cudaFree(x); // the kernel may still run: vendors only may wait here
}
