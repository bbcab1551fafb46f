int main() {
  int *x, value = 7;
  cudaMalloc(&x, sizeof(int));
#ifdef CURED
  cudaMemcpy(x, &value, sizeof(int), cudaMemcpyHostToDevice);
#else
  cudaMemcpy(x, &value, sizeof(int), cudaMemcpyDeviceToHost);
#endif
  cudaFree(x);
}
