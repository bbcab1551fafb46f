#ifndef ASSAY_RUNTIME_GPU_NAMES_H
#define ASSAY_RUNTIME_GPU_NAMES_H
/* One vendor-neutral spelling: ASSAY_GPU(MallocAsync) is cudaMallocAsync or hipMallocAsync. The
 * mock is built with CUDA's names. */
#ifdef ASSAY_RUNTIME_HIP
#include <hip/hip_runtime.h>
#define ASSAY_GPU(name) hip##name
typedef hipPointerAttribute_t assay_pointer_attributes;
typedef hipDeviceProp_t assay_device_properties;
#else
#include <cuda_runtime.h>
#define ASSAY_GPU(name) cuda##name
typedef struct cudaPointerAttributes assay_pointer_attributes;
typedef struct cudaDeviceProp assay_device_properties;
#endif
#endif
