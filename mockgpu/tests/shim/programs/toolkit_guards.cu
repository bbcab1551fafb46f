// Helper headers of the vendors' samples offer their checks only where the toolkit's headers are.
#include <cuda_runtime.h>

#include <cstdio>

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error "the runtime's headers are not recognised"
#endif

int main() { return std::puts("recognised") < 0; }
