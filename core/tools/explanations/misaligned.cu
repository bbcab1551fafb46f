__global__ void fill(double* x) { x[threadIdx.x] = 1; }

int main() {
  char* slab;
  cudaMalloc(&slab, 1024);
#ifdef CURED
  int const offset_bytes = 8;
#else
  int const offset_bytes = 4; // half of a double
#endif
  fill<<<1, 32>>>(reinterpret_cast<double*>(slab + offset_bytes));
  cudaDeviceSynchronize();
  cudaFree(slab);
}
