__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* workspace = nullptr;
#ifdef CURED
  cudaMalloc(&workspace, 32 * sizeof(int));
#endif
  fill<<<1, 32>>>(workspace);
  cudaDeviceSynchronize();
  cudaFree(workspace);
}
