#ifndef MOCKGPU_SHIM_ASYNC_COPY_H
#define MOCKGPU_SHIM_ASYNC_COPY_H
#pragma GCC system_header
/* Copies of a kernel that nobody waits for at the call. */
#include "mockgpu/device.h"

namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  /* The alignment that a size promises for both ends of a copy, in bytes: cuda::aligned_size_t has
   * one. No copy demands more than 16. */
  template <class Size> constexpr auto promised_alignment(int)->decltype(unsigned(Size::align)) {
    return Size::align < 16 ? unsigned(Size::align) : 16u;
  }
  template <class Size> constexpr unsigned promised_alignment(long) { return 1; }
  /* The same where the pointers are to T, which promises its own. */
  template <class T, class Size> constexpr unsigned typed_alignment() {
    constexpr unsigned of_type = alignof(T) < 16 ? unsigned(alignof(T)) : 16u;
    return of_type > promised_alignment<Size>(0) ? of_type : promised_alignment<Size>(0);
  }

  /* The part of a copy that one thread of a group does, in bytes of their own. */
  inline void copy_part(void const* owner, void* to, void const* from, size_t size_bytes,
                        unsigned aligned_to, size_t rank, size_t count) {
    constexpr size_t unit_bytes = 16;
    size_t const units = (size_bytes + unit_bytes - 1) / unit_bytes;
    size_t const part = (units + count - 1) / count * unit_bytes;
    size_t const begin = rank * part < size_bytes ? rank * part : size_bytes;
    size_t const end = begin + part < size_bytes ? begin + part : size_bytes;
    mockgpu_copy_async(owner, static_cast<char*>(to) + begin,
                       static_cast<char const*>(from) + begin, end - begin, 0, aligned_to);
  }

} // namespace )
#endif
