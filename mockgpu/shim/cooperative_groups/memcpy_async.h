#ifndef MOCKGPU_SHIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define MOCKGPU_SHIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#pragma GCC system_header
/* Copies by a group, which it waits for together. Each call is a batch of its own. */
#include "cooperative_groups.h"
#include "mockgpu/async_copy.h"

namespace cooperative_groups {

template <class Group, class T, class Size>
MOCKGPU_INLINE void memcpy_async(Group const& group, T* to, T const* from, Size const& size_bytes) {
  ::mockgpu_shim::copy_part(nullptr, to, from, size_bytes,
                            ::mockgpu_shim::promised_alignment<Size>(0), group.thread_rank(),
                            group.size());
  mockgpu_copies_commit(nullptr);
}
template <class Group, class Size>
MOCKGPU_INLINE void memcpy_async(Group const& group, void* to, void const* from,
                                 Size const& size_bytes) {
  ::mockgpu_shim::copy_part(nullptr, to, from, size_bytes,
                            ::mockgpu_shim::promised_alignment<Size>(0), group.thread_rank(),
                            group.size());
  mockgpu_copies_commit(nullptr);
}
/* Both layouts are numbers of elements: as many are copied as both have. */
template <class Group, class T, class ToCount, class FromCount>
MOCKGPU_INLINE void memcpy_async(Group const& group, T* to, ToCount const& to_count, T const* from,
                                 FromCount const& from_count) {
  size_t const count = static_cast<size_t>(to_count) < static_cast<size_t>(from_count)
                           ? static_cast<size_t>(to_count)
                           : static_cast<size_t>(from_count);
  memcpy_async(group, to, from, count * sizeof(T));
}

/* All copies but those of the newest `Keep` calls are over, in all threads of the group. */
template <unsigned Keep, class Group>
MOCKGPU_INLINE void wait_prior(Group const& group, MOCKGPU_HERE) {
  mockgpu_copies_complete(nullptr, Keep);
  group.sync(file, line);
}
template <class Group> MOCKGPU_INLINE void wait(Group const& group, MOCKGPU_HERE) {
  wait_prior<0>(group, file, line);
}

} // namespace cooperative_groups
#endif
