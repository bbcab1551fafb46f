/* Launches from C: the kernel is known by its address, and asked for its parameters. */
#include <cuda_runtime_api.h>

#include <stdio.h>

void const* entry_of_scale(void);
void const* entry_of_meet(void);

static cudaError_t launch(void const* kernel, unsigned blocks, unsigned threads, void** arguments,
                          int together) {
  cudaLaunchConfig_t how = {0};
  cudaLaunchAttribute attribute = {0};
  how.gridDim.x = blocks;
  how.gridDim.y = how.gridDim.z = 1;
  how.blockDim.x = threads;
  how.blockDim.y = how.blockDim.z = 1;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  how.attrs = &attribute;
  how.numAttrs = together ? 1 : 0;
  return cudaLaunchKernelExC(&how, kernel, arguments);
}

int main(void) {
  int *x, result[1024], i, sum = 0, factor = 3, blocks = 0, processors = 0;
  void* arguments[] = {&x, &factor};
  cudaError_t fits, too_many, nothing;
  cudaMalloc((void**)&x, sizeof result);
  cudaMemset(x, 0, sizeof result);
  printf("launched %d\n", launch(entry_of_scale(), 2, 32, arguments, 0));
  cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
  for (i = 0; i < 64; ++i) sum += result[i];
  printf("sum %d\n", sum);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, entry_of_meet(), 1024, 0);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  fits = launch(entry_of_meet(), (unsigned)(blocks * processors), 1024, arguments, 1);
  printf("met %d\n", cudaDeviceSynchronize());
  too_many = launch(entry_of_meet(), (unsigned)(blocks * processors) + 1, 1024, arguments, 1);
  printf("fits %d, too many %d\n", fits, too_many);
  nothing = launch((void const*)&sum, 1, 32, arguments, 0);
  printf("no kernel %d\n", nothing);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
