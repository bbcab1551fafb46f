int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaFree(x);
#ifdef CURED
  x = nullptr;
#endif
  cudaFree(x);
}
