__global__ void count(int* sum) {
#ifdef CURED
  atomicAdd(sum, int(threadIdx.x));
#else
  *sum += int(threadIdx.x); // 32 threads, one element
#endif
}

int main() {
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  count<<<1, 32>>>(sum);
  cudaDeviceSynchronize();
  cudaFree(sum);
}
