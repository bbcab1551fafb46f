#ifndef MOCKGPU_SHIM_CUDA_PIPELINE_H
#define MOCKGPU_SHIM_CUDA_PIPELINE_H
#pragma GCC system_header
/* The C interface to a thread's own asynchronous copies, of 4, 8 or 16 bytes aligned to as many. */
#include <string.h>

#include "mockgpu/async_copy.h"

/* <assert.h> has none where NDEBUG is set. */
extern "C" [[noreturn]] void __assert_fail(char const* condition, char const* file, unsigned line,
                                           char const* function) noexcept;

inline void __pipeline_memcpy_async(void* to, void const* from, size_t size_bytes,
                                    size_t zero_bytes = 0, MOCKGPU_HERE) {
  if (size_bytes != 4 && size_bytes != 8 && size_bytes != 16)
    __assert_fail("size_and_align is 4, 8 or 16", file, line, "__pipeline_memcpy_async");
  if (zero_bytes > size_bytes)
    __assert_fail("zfill is at most size_and_align", file, line, "__pipeline_memcpy_async");
  mockgpu_copy_async(nullptr, to, from, size_bytes - zero_bytes, zero_bytes,
                     static_cast<unsigned>(size_bytes));
}
inline void __pipeline_commit() { mockgpu_copies_commit(nullptr); }
inline void __pipeline_wait_prior(size_t keep) {
  mockgpu_copies_complete(nullptr, static_cast<unsigned>(keep));
}
#endif
