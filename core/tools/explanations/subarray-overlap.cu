#include <mockgpu/annotate.h>

int main() {
  char* slab;
  cudaMalloc(&slab, 1024);
  mockgpu_sub_array(slab, 512, 256, "u");
#ifdef CURED
  mockgpu_sub_array(slab + 512, 512, 256, "v");
#else
  mockgpu_sub_array(slab + 256, 512, 256, "v"); // u ends at 512
#endif
  cudaFree(slab);
}
