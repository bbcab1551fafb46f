__global__ void half(int* x) {
  x[threadIdx.x] = 1;
#ifdef CURED
  __syncthreads();
#else
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncthreads(); // another barrier than that of the first half
#endif
}

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  half<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
