int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
#ifdef CURED
  cudaFree(x);
#endif
}
