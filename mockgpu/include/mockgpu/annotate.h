#ifndef MOCKGPU_ANNOTATE_H
#define MOCKGPU_ANNOTATE_H
/* Annotations, C ABI. Each is a hint to the checker and has no effect on results. Calls are weak: a
 * program that is linked without mockgpu must test the address, or use annotate.hpp, which does. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Names the allocation (or the host range) that starts at `pointer`. */
void mockgpu_name_memory(void const* pointer, size_t size_bytes, char const* name);
/* Names a stream handle (void*: cudaStream_t or hipStream_t). */
void mockgpu_name_stream(void* stream, char const* name);
/* Declares [pointer, pointer + size_bytes) as a sub-array of the allocation that holds it: accesses
 * of one operation may not run from one sub-array into a gap, and `alignment_bytes` is checked. */
void mockgpu_sub_array(void const* pointer, size_t size_bytes, size_t alignment_bytes, char const* name);
/* Forgets the sub-arrays inside the allocation that holds `pointer`. */
void mockgpu_clear_sub_arrays(void const* pointer);
/* The content of these bytes is undefined from here on. */
void mockgpu_mark_undefined(void const* pointer, size_t size_bytes);
/* The host (library code without hooks) reads (write = 0) or writes (write = 1) these bytes now. */
void mockgpu_host_access(void const* pointer, size_t size_bytes, int write);
/* From here to mockgpu_close_use, operations that the program queues must be on `stream`;
 * others are the finding "wrong-stream". Uses do not nest. `check_stream` 0 switches that part off. */
void mockgpu_open_use(char const* program, void* stream, int check_stream);
void mockgpu_close_use(void);

#ifdef __cplusplus
}
#endif
#endif
