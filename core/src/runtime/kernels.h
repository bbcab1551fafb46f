#ifndef ASSAY_RUNTIME_KERNELS_H
#define ASSAY_RUNTIME_KERNELS_H
/* C boundary between the adapter (plain C++) and its kernels (compiled by the device compiler).
 * Kernels include no C++ library header, so that no instrumented template leaks into the host
 * program. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { assay_max_boxes = 24, assay_max_extents = 6 };

/* byte_box of assay/gpu_runtime.hpp in a form that passes as a kernel argument (limit: 4096 bytes).
 */
struct assay_box {
  unsigned char* base;
  unsigned element_bytes;
  unsigned extent_count;
  long long count[assay_max_extents];
  long long stride_bytes[assay_max_extents];
};
struct assay_boxes {
  unsigned long long seed;
  unsigned read_count, write_count, accumulate_count; /* in this order in `box` */
  struct assay_box box[assay_max_boxes];
};

/* Both return the vendor's status of the launch. Neither waits. */
int assay_launch_copy(void* target, void const* source, size_t size_bytes, void* stream);
int assay_launch_mix(struct assay_boxes const* boxes, void* stream);

#ifdef __cplusplus
}
#endif
#endif
