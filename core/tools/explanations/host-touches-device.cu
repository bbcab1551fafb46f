int main() {
  int *x, first = 0;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
#ifdef CURED
  cudaMemcpy(&first, x, sizeof(int), cudaMemcpyDeviceToHost);
#else
  first = *x; // device memory
#endif
  cudaFree(x);
  return first;
}
