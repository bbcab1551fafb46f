int main() {
  cudaStream_t s;
  cudaEvent_t e;
  cudaStreamCreate(&s); // on device 0
#ifndef CURED
  cudaSetDevice(1);
#endif
  cudaEventCreate(&e);
  cudaEventRecord(e, s);
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
}
