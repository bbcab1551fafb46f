#pragma once
/// \file The kinds of finding that the engine makes, and the rules that they break; each spelt
/// once.
namespace mockgpu {

namespace kind {
inline constexpr char const stream_race[] = "stream-race";
inline constexpr char const host_race[] = "host-race";
inline constexpr char const thread_race[] = "thread-race";
inline constexpr char const use_before_alloc[] = "use-before-alloc";
inline constexpr char const use_after_free[] = "use-after-free";
inline constexpr char const use_after_free_issue[] = "use-after-free-issue";
inline constexpr char const double_free[] = "double-free";
inline constexpr char const leak[] = "leak";
inline constexpr char const out_of_bounds[] = "out-of-bounds";
inline constexpr char const subarray_overlap[] = "subarray-overlap";
inline constexpr char const misaligned[] = "misaligned";
inline constexpr char const undefined_read[] = "undefined-read";
inline constexpr char const host_touches_device[] = "host-touches-device";
inline constexpr char const device_touches_host[] = "device-touches-host";
inline constexpr char const wrong_copy_direction[] = "wrong-copy-direction";
inline constexpr char const wrong_stream[] = "wrong-stream";
inline constexpr char const invalid_handle[] = "invalid-handle";
inline constexpr char const wrong_device[] = "wrong-device";
inline constexpr char const workspace_unset[] = "workspace-unset";
inline constexpr char const barrier_divergence[] = "barrier-divergence";
inline constexpr char const kernel_fault[] = "kernel-fault";
inline constexpr char const ignored_error[] = "ignored-error";
inline constexpr char const foreign_error[] = "foreign-error";
inline constexpr char const superfluous_wait[] = "superfluous-wait";
inline constexpr char const workspace_unordered[] = "workspace-unordered";
inline constexpr char const implicit_free_order[] = "implicit-free-order";
} // namespace kind

namespace rule {
inline constexpr char const stream_order[] = "stream-order";
inline constexpr char const nonblocking_exempt[] = "nonblocking-exempt";
inline constexpr char const block_order[] = "block-order";
inline constexpr char const grid_order[] = "grid-order";
inline constexpr char const atomic_and_plain[] = "atomic-and-plain";
inline constexpr char const atomic_scope[] = "atomic-scope";
inline constexpr char const host_order[] = "host-order";
inline constexpr char const pageable_async_copy[] = "pageable-async-copy";
inline constexpr char const stream_ordered_alloc[] = "stream-ordered-alloc";
inline constexpr char const stream_ordered_free[] = "stream-ordered-free";
inline constexpr char const stream_ordered_free_issue[] = "stream-ordered-free-issue";
inline constexpr char const free_orders_block[] = "free-orders-block";
inline constexpr char const double_free[] = "freed-once";
inline constexpr char const leak[] = "freed-by-its-owner";
inline constexpr char const bounds[] = "allocation-bounds";
inline constexpr char const static_shared_bounds[] = "static-shared-bounds";
inline constexpr char const dynamic_shared_bounds[] = "dynamic-shared-bounds";
inline constexpr char const constant_memory[] = "constant-memory";
inline constexpr char const sub_array_bounds[] = "sub-array-bounds";
inline constexpr char const natural_alignment[] = "natural-alignment";
inline constexpr char const sub_array_alignment[] = "sub-array-alignment";
inline constexpr char const sub_array_disjoint[] = "sub-arrays-disjoint";
inline constexpr char const defined_content[] = "defined-content";
inline constexpr char const memory_kind[] = "memory-kind";
inline constexpr char const copy_direction[] = "copy-direction";
inline constexpr char const stream_of_use[] = "stream-of-use";
inline constexpr char const live_handle[] = "live-handle";
inline constexpr char const device_of_stream[] = "device-of-stream";
inline constexpr char const peer_access[] = "peer-access";
inline constexpr char const convergent_barrier[] = "convergent-barrier";
inline constexpr char const step_limit[] = "step-limit";
inline constexpr char const device_assertion[] = "device-assertion";
inline constexpr char const device_trap[] = "device-trap";
inline constexpr char const checked_launch[] = "checked-launch";
inline constexpr char const drained_error[] = "drained-error";
inline constexpr char const needed_wait[] = "needed-wait";
inline constexpr char const ordered_uses[] = "ordered-uses";
inline constexpr char const null_pointer[] = "null-pointer";
} // namespace rule

} // namespace mockgpu
